import type { App } from 'aws-cdk-lib'
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import type { IConstruct } from 'constructs'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createApp } from '../../../infra/stack/create-app.ts'
import { everySetting, findings } from './support/synth-template.ts'

const stackOf = (app: App): IConstruct => app.node.findChild('feedback-bridge')

const acknowledgedSchema = z.object({
  type: z.literal('aws:cdk:acknowledged-rules'),
  data: z.record(z.string(), z.string()),
})

/** Each rule that is acknowledged, by the construct's path, with the reason. */
const acknowledged = (app: App): { path: string; rule: string; reason: string }[] =>
  app.node.findAll().flatMap(({ node: { path, metadata } }) =>
    metadata.flatMap(entry => {
      const data = acknowledgedSchema.safeParse(entry).data?.data ?? {}
      return Object.entries(data).map(([rule, reason]) => ({
        path,
        rule: rule.replace('Annotation::', ''),
        reason,
      }))
    }),
  )

describe('cdk-nag', () => {
  test('finds what is planted: it runs at every synth', () => {
    const { found, ends } = findings({}, app => new Queue(stackOf(app), 'Planted'))
    expect(ends).toBe(true)
    expect(found).toEqual(
      ['AwsSolutions-SQS3', 'AwsSolutions-SQS4'].map(rule => ({
        plugin: 'AwsSolutions',
        rule,
        path: 'feedback-bridge/Planted/Resource',
      })),
    )
  })

  test('finds nothing in the stack as it comes', () => {
    expect(findings({})).toEqual({ found: [], ends: false })
  })

  test('finds nothing in the stack with everything that is optional', () => {
    expect(findings(everySetting)).toEqual({ found: [], ends: false })
  })

  test('is silenced in these places only, each with a reason', () => {
    const all = acknowledged(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }))
    const secrets = (kind: string) =>
      `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:feedback-bridge/${kind}-*]`
    expect(all.map(({ path, rule }) => [path, rule])).toEqual([
      ['feedback-bridge/State/FailedRuns', 'AwsSolutions-SQS3'],
      ['feedback-bridge/State/MasterSecret', 'AwsSolutions-SMG4'],
      ['feedback-bridge/Poller', secrets('token')],
      ['feedback-bridge/Dispatcher', secrets('signing')],
      ['feedback-bridge/Dispatcher', secrets('authorization')],
      ['feedback-bridge/Releaser', secrets('signing')],
      ['feedback-bridge/Releaser', secrets('authorization')],
    ])
    expect(all.filter(({ reason }) => reason.length < 40)).toEqual([])
  })
})

describe("CloudFormation's schemas", () => {
  test('are checked at every synth, which ends of what is wrong', () => {
    const wrong = { kmsKeyId: 'no key of any kind' }
    const { found, ends } = findings({}, app => new CfnLogGroup(stackOf(app), 'Planted', wrong))
    expect([...new Set(found.map(({ plugin, path }) => `${plugin}: ${path}`))]).toEqual([
      'CloudFormation Validate: feedback-bridge/Planted',
    ])
    expect(ends).toBe(true)
  })
})
