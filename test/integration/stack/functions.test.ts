import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { dispatcherEnvironment } from '../../../functions/dispatcher/config.ts'
import { pollerEnvironment } from '../../../functions/poller/config.ts'
import { releaserEnvironment } from '../../../functions/releaser/config.ts'
import { readEnvironment } from '../../../shared/adapters/environment.ts'
import { textOf } from './support/statements.ts'
import { everySetting, ofType, type Synthesized, synthTemplate } from './support/synth-template.ts'

const standing = synthTemplate()
const changed = synthTemplate({
  ...everySetting,
  simulator: 'false',
  memoryMb: '512',
  logRetentionDays: '7',
})

const names = ['poller', 'dispatcher', 'releaser'] as const

const functionOf = (of: Synthesized, name: string) => {
  const found = ofType(of, 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties['FunctionName'] === `feedback-bridge-${name}`,
  )
  if (found === undefined) throw new Error(`there should be a function ${name}`)
  return found.Properties
}

const environmentSchema = z.object({
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
})
const variablesOf = (of: Synthesized, name: string) =>
  environmentSchema.parse(functionOf(of, name)).Environment.Variables

/** As CloudFormation would: a queue's `Ref` is its URL. */
const resolved = (variables: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      name.endsWith('_URL')
        ? 'https://sqs.eu-west-1.amazonaws.com/123456789012/queue'
        : textOf(value).replace(/^<.*Arn>$/, 'arn:aws:sqs'),
    ]),
  )

describe('the functions', () => {
  test('are three ES modules on arm64 and Node 24, each with time for its run', () => {
    expect(ofType(standing, 'AWS::Lambda::Function')).toHaveLength(3)
    const timeouts = { poller: 180, dispatcher: 60, releaser: 60 }
    for (const name of names) {
      expect(functionOf(standing, name)).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        MemorySize: 256,
        Timeout: timeouts[name],
      })
    }
  })

  test('are told what their code asks for, and nothing else', () => {
    const schemas = {
      poller: pollerEnvironment,
      dispatcher: dispatcherEnvironment,
      releaser: releaserEnvironment,
    }
    for (const name of names) {
      const variables = variablesOf(standing, name)
      expect(Object.keys(variables).sort()).toEqual(Object.keys(schemas[name].shape).sort())
      expect(() => readEnvironment(schemas[name], resolved(variables))).not.toThrow()
    }
  })

  test('are given the settings', () => {
    const told = synthTemplate({
      ...{ deadlineSeconds: '7', disableAfterDays: '2', pollEverySeconds: '90', logLevel: 'DEBUG' },
    })
    expect(variablesOf(told, 'poller')).toMatchObject({ POLL_EVERY_SECONDS: '90', LOG_LEVEL: 'DEBUG' })
    expect(variablesOf(told, 'dispatcher')).toMatchObject({
      DEADLINE_MS: '7000',
      DISABLE_AFTER_MS: '172800000',
      LOG_LEVEL: 'DEBUG',
      SECRET_PREFIX: 'feedback-bridge/',
    })
    for (const name of names) expect(functionOf(changed, name)).toMatchObject({ MemorySize: 512 })
  })

  test('write to a log group of their own, kept for as long as the settings say', () => {
    const groups = (of: Synthesized) =>
      ofType(of, 'AWS::Logs::LogGroup').map(({ Properties }) => [
        Properties['LogGroupName'],
        Properties['RetentionInDays'],
      ])
    expect(groups(standing)).toEqual(names.map(name => [`/feedback-bridge/${name}`, 30]))
    expect(groups(changed).map(([, days]) => days)).toEqual([7, 7, 7])
    for (const name of names) {
      expect(functionOf(standing, name)['LoggingConfig']).toMatchObject({
        LogGroup: { Ref: expect.stringMatching(new RegExp(`^${name}Logs`, 'i')) },
      })
    }
  })

  test('are tried once where they are invoked asynchronously, within 60 s, and a failure is kept', () => {
    const configs = ofType(standing, 'AWS::Lambda::EventInvokeConfig')
    expect(configs).toHaveLength(3)
    for (const { Properties } of configs) {
      expect(Properties).toMatchObject({
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
        DestinationConfig: {
          OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/^StateFailedRuns/), 'Arn'] } },
        },
      })
    }
  })

  test('run outside of any VPC, and in the given one where there is one', () => {
    for (const name of names) {
      expect(functionOf(standing, name)).not.toHaveProperty('VpcConfig')
      expect(functionOf(changed, name)['VpcConfig']).toEqual({
        SecurityGroupIds: ['sg-0123abcd'],
        SubnetIds: ['subnet-0123abcd', 'subnet-4567abcd'],
      })
    }
  })

  test('have concurrency reserved where it is asked for: the dispatcher alone', () => {
    const reserved = (of: Synthesized) =>
      names.map(name => functionOf(of, name)['ReservedConcurrentExecutions'])
    expect(reserved(standing)).toEqual([undefined, undefined, undefined])
    expect(reserved(changed)).toEqual([undefined, 30, undefined])
  })
})
