import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { afterAll } from 'vitest'
import * as z from 'zod'
import { Monitoring, type MonitoringProps } from '../../../../infra/stack/monitoring/monitoring.ts'

export const prefix = 'bridge'
export const keyArn = 'arn:aws:kms:eu-west-1:123456789012:key/5f3c2a1e-0d4b-4c6a-9e8f-7a6b5c4d3e2f'
export const ownTopicArn = 'arn:aws:sns:eu-west-1:123456789012:on-call'
export const settings = { pollEverySeconds: 5, deadlineSeconds: 15, memoryMb: 256 } as const

const folder = mkdtempSync(join(tmpdir(), 'monitoring-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Monitoring of a stack of stubs. */
export const create = (of: { settings?: Partial<MonitoringProps['settings']>; withKey?: boolean } = {}) => {
  const outdir = mkdtempSync(join(folder, 'synth-'))
  const app = new App({ outdir, analyticsReporting: false })
  const stack = new Stack(app, prefix)
  const lambda = (name: string) =>
    new LambdaFunction(stack, name, {
      functionName: `${prefix}-${name}`,
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => {}'),
    })
  const queue = (name: string) => new Queue(stack, name, { queueName: `${prefix}-${name}` })
  const logs = (name: string) => new LogGroup(stack, `${name}-logs`, { logGroupName: `/${prefix}/${name}` })
  const monitoring = new Monitoring(stack, 'Monitoring', {
    prefix,
    settings: { ...settings, alarmEmail: undefined, alarmTopicArn: undefined, ...of.settings },
    functions: { poller: lambda('poller'), dispatcher: lambda('dispatcher'), releaser: lambda('releaser') },
    logGroups: { poller: logs('poller'), dispatcher: logs('dispatcher'), releaser: logs('releaser') },
    queues: {
      fast: queue('fast'),
      slow: queue('slow'),
      deadLetters: queue('dead-letters'),
      failedRuns: queue('failed-runs'),
    },
    table: new Table(stack, 'Table', { partitionKey: { name: 'pk', type: AttributeType.STRING } }),
    scheduleGroupName: prefix,
    ...(of.withKey === true && { encryptionKey: Key.fromKeyArn(stack, 'Key', keyArn) }),
  })
  return {
    app,
    stack,
    outdir,
    monitoring,
    get template() {
      return Template.fromStack(stack)
    },
  }
}

const alarmSchema = z.object({
  Properties: z.looseObject({
    AlarmName: z.string(),
    AlarmDescription: z.string(),
    AlarmActions: z.array(z.unknown()).default([]),
    OKActions: z.array(z.unknown()).default([]),
    TreatMissingData: z.string(),
    Threshold: z.number(),
    EvaluationPeriods: z.number(),
    Period: z.number().optional(),
    Metrics: z
      .array(
        z.object({
          Expression: z.string().optional(),
          MetricStat: z.object({ Period: z.number() }).optional(),
        }),
      )
      .optional(),
  }),
})
export type AlarmProperties = z.infer<typeof alarmSchema>['Properties']

/** By name. */
export const alarmsOf = (template: Template): Map<string, AlarmProperties> =>
  new Map(
    Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(resource => {
      const { Properties } = alarmSchema.parse(resource)
      return [Properties.AlarmName, Properties]
    }),
  )

export const metricCount = ({ Metrics }: AlarmProperties): number =>
  Metrics === undefined ? 1 : Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length

export const periodOf = ({ Period, Metrics }: AlarmProperties): number =>
  Period ?? Metrics?.find(({ MetricStat }) => MetricStat !== undefined)?.MetricStat?.Period ?? 0
