import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { alarmName } from '../../../infra/stack/monitoring/alarm-row.ts'
import { alarmMetricCount, alarmTable } from '../../../infra/stack/monitoring/alarm-table.ts'
import { alarmsOf, create, metricCount, periodOf, prefix, settings } from './support/monitoring-stack.ts'

describe('the alarms', () => {
  const { template } = create({ settings: { alarmEmail: 'on-call@example.com' } })
  const alarms = alarmsOf(template)
  const rows = alarmTable(settings)

  it('are those of the table, each with its severity in its name', () => {
    expect([...alarms.keys()].sort()).toEqual(rows.map(row => alarmName(prefix, row)).sort())
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  })

  it('cost 4 USD a month: CloudWatch takes 0.10 for each metric of each', () => {
    const counted = [...alarms.values()].reduce((sum, alarm) => sum + metricCount(alarm), 0)
    expect(counted).toBe(alarmMetricCount(rows))
    expect(counted).toBeLessThanOrEqual(40)
  })

  it('say in one or two sentences what they mean, and where the runbook tells more', () => {
    for (const { AlarmDescription } of alarms.values()) {
      expect(AlarmDescription).toMatch(/^\[(page|ticket|notice)\] [A-Z].+\. RUNBOOK\.md#[a-z-]+$/)
      const meaning = AlarmDescription.replace(/ RUNBOOK\.md.*$/, '')
      expect(meaning.split(/\.(?: |$)/).filter(sentence => sentence !== '').length).toBeLessThanOrEqual(2)
      expect(AlarmDescription.length).toBeLessThanOrEqual(1_024)
    }
  })

  it('take silence for a failure only where silence is one', () => {
    const withMissing = (how: string) =>
      [...alarms.values()]
        .filter(({ TreatMissingData }) => TreatMissingData === how)
        .map(({ AlarmName }) => AlarmName)
    expect(withMissing('breaching').sort()).toEqual([
      'bridge-page-no-complete-walk',
      'bridge-page-releaser-silent',
    ])
    expect(withMissing('ignore').sort()).toEqual([
      'bridge-page-anchor-age',
      'bridge-page-event-expiry',
      'bridge-ticket-oldest-held',
    ])
    expect(withMissing('missing')).toEqual([])
  })

  it('tell of pages and tickets that they are over, and of notices only that they are there', () => {
    for (const [name, { AlarmActions, OKActions }] of alarms) {
      expect([name, AlarmActions.length]).toEqual([name, 1])
      expect([name, OKActions.length]).toEqual([name, name.includes('-notice-') ? 0 : 1])
    }
  })

  it.each([1, 5, 59, 60, 150, 3_600])('can be made where sources are polled every %i s', pollEverySeconds => {
    for (const alarm of alarmsOf(create({ settings: { pollEverySeconds } }).template).values()) {
      const period = periodOf(alarm)
      expect(period % 60).toBe(0)
      // CloudWatch API, PutMetricAlarm: a day at most is looked at, and a week where periods are of an hour or more.
      expect(period * alarm.EvaluationPeriods).toBeLessThanOrEqual(period >= 3_600 ? 604_800 : 86_400)
    }
  })
})

describe('no complete walk', () => {
  const at = (pollEverySeconds: number) =>
    alarmsOf(create({ settings: { pollEverySeconds } }).template).get('bridge-page-no-complete-walk')

  it('is the worst of all streams, without their names', () => {
    create().template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'bridge-page-no-complete-walk',
      Namespace: 'FeedbackBridge',
      MetricName: 'SinceCompleteWalk',
      Dimensions: [{ Name: 'service', Value: prefix }],
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    })
  })

  it('lets two polls fail, and ten minutes', () => {
    expect(at(5)?.Threshold).toBe(610)
    expect(at(3_600)?.Threshold).toBe(7_800)
  })

  it.each([5, 60, 150, 3_600])('has a run in each of its periods, polled every %i s', pollEverySeconds => {
    const tickSeconds = Math.max(1, Math.floor(pollEverySeconds / 60)) * 60
    const runSecondsMax = 150
    const alarm = at(pollEverySeconds)
    expect(alarm && periodOf(alarm)).toBeGreaterThanOrEqual(
      pollEverySeconds < 60 ? tickSeconds + runSecondsMax : tickSeconds + 60,
    )
  })
})

describe('what is watched', () => {
  const { template } = create()

  it('are the metrics of AWS by the dimensions that AWS keeps them by', () => {
    const dimensionOf = {
      'AWS/Lambda': 'FunctionName',
      'AWS/SQS': 'QueueName',
      'AWS/Scheduler': 'ScheduleGroup',
    }
    const stat = z.object({
      Namespace: z.string(),
      MetricName: z.string(),
      Dimensions: z.array(z.object({ Name: z.string() })),
    })
    const seen = new Map<string, Set<string>>()
    const collect = (value: unknown): void => {
      const found = stat.safeParse(value).data
      if (found !== undefined) {
        const names = found.Dimensions.map(({ Name }) => Name)
          .sort()
          .join('+')
        seen.set(found.Namespace, (seen.get(found.Namespace) ?? new Set()).add(names))
      }
      if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
    }
    collect(template.toJSON())
    for (const [namespace, name] of Object.entries(dimensionOf)) {
      expect([namespace, ...(seen.get(namespace) ?? [])]).toEqual([namespace, name])
    }
    expect(seen.get('AWS/DynamoDB')).toEqual(new Set(['TableName', 'GlobalSecondaryIndexName+TableName']))
    expect(seen.get('FeedbackBridge')).toEqual(new Set(['service']))
  })
})
