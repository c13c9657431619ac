import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { createApp } from '../../../infra/stack/create-app.ts'
import { readAssembly } from '../../integration/stack/harness/assembly.ts'

const prefix = 'feedback-bridge'
const alarmSchema = z.looseObject({
  Metrics: z.array(z.looseObject({ MetricStat: z.unknown().optional() })).optional(),
})
const scheduleSchema = z.looseObject({ ScheduleExpression: z.string() })

/** What the stack has that is billed by the month, whatever happens. */
export type StackItems = {
  /** Metrics that alarms watch: an alarm on a calculation is billed for each metric in it. */
  alarmMetrics: number
  compositeAlarms: number
  dashboards: number
  secrets: number
  /** Lanes that Lambda asks for messages. */
  polledQueues: number
  schedules: readonly string[]
}

/** Counts them in the template, as the stack is without any setting. */
export const countStackItems = (): StackItems => {
  const folder = mkdtempSync(join(tmpdir(), 'bridge-bench-'))
  try {
    const outdir = join(folder, 'cdk.out')
    createApp({ context: { prefix, 'aws:cdk:bundling-stacks': [] }, outdir }).synth()
    const assembly = readAssembly(outdir, prefix)
    const count = (type: string): number => assembly.ofType(type).length
    const alarms = assembly
      .ofType('AWS::CloudWatch::Alarm')
      .map(({ properties }) => alarmSchema.parse(properties))
    return {
      alarmMetrics: alarms.reduce((sum, alarm) => sum + metricsOf(alarm), 0),
      compositeAlarms: count('AWS::CloudWatch::CompositeAlarm'),
      dashboards: count('AWS::CloudWatch::Dashboard'),
      secrets: count('AWS::SecretsManager::Secret'),
      polledQueues: count('AWS::Lambda::EventSourceMapping'),
      schedules: assembly
        .ofType('AWS::Scheduler::Schedule')
        .map(({ properties }) => scheduleSchema.parse(properties).ScheduleExpression),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const metricsOf = ({ Metrics }: z.infer<typeof alarmSchema>): number =>
  Metrics === undefined ? 1 : Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length
