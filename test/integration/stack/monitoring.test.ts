import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Stack, Validations } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { AwsSolutionsChecks } from 'cdk-nag'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { alarmName } from '../../../infra/stack/monitoring/alarm-row.ts'
import { alarmMetricCount, alarmTable } from '../../../infra/stack/monitoring/alarm-table.ts'
import { Monitoring, type MonitoringProps } from '../../../infra/stack/monitoring/monitoring.ts'
import { byStream, metricNames } from '../../../shared/adapters/telemetry/metric-names.ts'

const prefix = 'bridge'
const keyArn = 'arn:aws:kms:eu-west-1:123456789012:key/5f3c2a1e-0d4b-4c6a-9e8f-7a6b5c4d3e2f'
const ownTopicArn = 'arn:aws:sns:eu-west-1:123456789012:on-call'
const settings = { pollEverySeconds: 5, deadlineSeconds: 15, memoryMb: 256 } as const

const folder = mkdtempSync(join(tmpdir(), 'monitoring-'))
afterAll(() => rmSync(folder, { recursive: true }))

const create = (of: { settings?: Partial<MonitoringProps['settings']>; withKey?: boolean } = {}) => {
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
type AlarmProperties = z.infer<typeof alarmSchema>['Properties']

const alarmsOf = (template: Template): Map<string, AlarmProperties> =>
  new Map(
    Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(resource => {
      const { Properties } = alarmSchema.parse(resource)
      return [Properties.AlarmName, Properties]
    }),
  )

const metricCount = ({ Metrics }: AlarmProperties): number =>
  Metrics === undefined ? 1 : Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length

const periodOf = ({ Period, Metrics }: AlarmProperties): number =>
  Period ?? Metrics?.find(({ MetricStat }) => MetricStat !== undefined)?.MetricStat?.Period ?? 0

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

describe('where alarms are told', () => {
  it('is nowhere, where nobody asked', () => {
    const { template, monitoring } = create()
    template.resourceCountIs('AWS::SNS::Topic', 0)
    expect(monitoring.alarmTopic).toBeUndefined()
    expect([...alarmsOf(template).values()].flatMap(({ AlarmActions }) => AlarmActions)).toEqual([])
  })

  it("is the operator's own topic, of which nothing is changed", () => {
    const { template, monitoring } = create({ settings: { alarmTopicArn: ownTopicArn } })
    for (const type of ['Topic', 'TopicPolicy', 'Subscription'])
      template.resourceCountIs(`AWS::SNS::${type}`, 0)
    expect(monitoring.alarmTopic?.topicArn).toBe(ownTopicArn)
    for (const { AlarmActions } of alarmsOf(template).values()) expect(AlarmActions).toEqual([ownTopicArn])
  })

  it('is an address, by a topic that takes alarms of this stack alone and nothing by plain HTTP', () => {
    const { template } = create({ settings: { alarmEmail: 'on-call@example.com' } })
    template.hasResourceProperties('AWS::SNS::Topic', {
      TopicName: 'bridge-alarms',
      // AWS's own key would keep CloudWatch out.
      KmsMasterKeyId: Match.absent(),
    })
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'on-call@example.com',
    })
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({
            Effect: 'Deny',
            Principal: '*',
            Action: 'sns:Publish',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Condition: {
              ArnLike: { 'aws:SourceArn': { 'Fn::Join': ['', Match.arrayWith([':alarm:bridge-*'])] } },
            },
          }),
        ],
      },
    })
  })

  it("is encrypted by the operator's key, where there is one", () => {
    const { template } = create({ settings: { alarmEmail: 'on-call@example.com' }, withKey: true })
    template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: keyArn })
  })
})

/** Texts, references resolved to their ids. */
const dashboardOf = (template: Template) => {
  const [resource] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'))
  const join = z
    .object({
      Properties: z.object({
        DashboardBody: z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
      }),
    })
    .parse(resource).Properties.DashboardBody['Fn::Join'][1]
  const text = join
    .map(part => (typeof part === 'string' ? part : JSON.stringify(part).replaceAll(/[^\w]/g, '')))
    .join('')
  return z
    .object({
      widgets: z.array(
        z.object({
          type: z.string(),
          x: z.number(),
          y: z.number(),
          width: z.number(),
          properties: z.looseObject({
            title: z.string().optional(),
            markdown: z.string().optional(),
            query: z.string().optional(),
            alarms: z.array(z.unknown()).optional(),
            metrics: z.array(z.array(z.unknown())).optional(),
          }),
        }),
      ),
    })
    .parse(JSON.parse(text)).widgets
}

describe('the dashboard', () => {
  const { template, monitoring, stack } = create()
  const widgets = dashboardOf(template)

  it('is one, by the name of the stack, at the URL that is told', () => {
    template.hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName: prefix })
    template.resourceCountIs('AWS::CloudWatch::Dashboard', 1)
    expect(JSON.stringify(stack.resolve(monitoring.dashboardUrl))).toContain('#dashboards/dashboard/bridge')
  })

  it('begins with every alarm, the pages first', () => {
    const first = widgets.filter(({ type }) => type === 'alarm')
    expect(first.map(({ properties }) => properties.title?.split(':')[0])).toEqual([
      'page',
      'ticket',
      'notice',
    ])
    const count = first.reduce((sum, { properties }) => sum + (properties.alarms?.length ?? 0), 0)
    expect(count).toBe(alarmTable(settings).length)
    const below = widgets.filter(({ type }) => type === 'metric' || type === 'log').map(({ y }) => y)
    expect(Math.min(...below)).toBeGreaterThan(Math.max(...first.map(({ y }) => y)))
  })

  it('answers from the top: polling, delivering, failing, running, cost', () => {
    const headings = widgets
      .filter(({ properties }) => properties.markdown?.startsWith('## ') === true)
      .sort((one, other) => one.y - other.y)
      .map(({ properties }) => properties.markdown)
    expect(headings).toEqual([
      '## Is it polling?',
      '## Is it delivering?',
      '## Who is failing?',
      '## Do the functions run?',
      '## What does it cost?',
    ])
  })

  it('fits the 24 columns of the grid', () => {
    for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24)
  })

  it('asks each log group that a line is in for that line', () => {
    const queries = widgets.flatMap(({ properties }) => properties.query ?? [])
    const asked = queries.map(query => [
      [...query.matchAll(/SOURCE '\W?(\w+)/g)].map(
        ([, group]) => /poller|dispatcher|releaser/.exec(group ?? '')?.[0],
      ),
      /filter (.*)/.exec(query)?.[1],
    ])
    expect(asked).toEqual([
      [['poller'], 'message = "poll" and outcome = "failed"'],
      [['dispatcher'], 'message = "attempt"'],
      [['dispatcher'], 'message = "attempt" and ispresent(reason)'],
      [['releaser'], 'message = "endpoint_backlog"'],
      [['poller', 'dispatcher', 'releaser'], 'level in ["WARN", "ERROR"]'],
    ])
  })

  it('has 50 metrics at most with the four of a source, so that it is free', () => {
    const metrics = new Set(
      widgets
        .flatMap(({ properties }) => properties.metrics ?? [])
        // Expressions are none themselves; statistics of one metric are one.
        .filter(([first]) => typeof first === 'string')
        .map(parts => JSON.stringify(parts.filter(part => typeof part === 'string'))),
    )
    const ofSource = 2 * byStream.length
    expect(metrics.size).toBeGreaterThan(30)
    expect(metrics.size + ofSource).toBeLessThanOrEqual(50)
  })

  it('shows or watches every metric that the functions publish', () => {
    const text = JSON.stringify(template.toJSON())
    const shownByNobody = Object.values(metricNames)
      .map(({ name }) => name)
      .filter(name => !new RegExp(`\\b${name}\\b`).test(text))
    expect(shownByNobody).toEqual([])
  })

  it('shows by stream what is published by stream', () => {
    const text = JSON.stringify(widgets)
    for (const key of byStream) {
      expect(text).toContain(
        JSON.stringify(
          `SEARCH('{FeedbackBridge,service,source,stream} MetricName="${metricNames[key].name}" service="bridge"', 'Maximum', 300)`,
        ),
      )
    }
  })

  it('reckons what it costs with numbers that CloudWatch can read', () => {
    const cost = widgets.find(({ properties }) => properties.title === 'Estimated USD a day')
    const expressions = (cost?.properties.metrics ?? []).flatMap(parts => {
      const [first] = parts
      return z.object({ label: z.string(), expression: z.string() }).safeParse(first).data ?? []
    })
    expect(expressions.map(({ label }) => label)).toEqual(['Lambda', 'SQS, at most', 'DynamoDB', 'Logs'])
    for (const { expression } of expressions) expect(expression).not.toMatch(/\de-?\d|NaN|\* 0\b(?!\.)/)
    // 256 MB for 1,000 s: 250 GB-seconds.
    const perMs = Number(/\) \* (\d\.\d+) \+/.exec(expressions[0]?.expression ?? '')?.[1])
    expect(perMs * 1_000_000).toBeCloseTo(250 * 0.0000133334, 10)
  })
})

describe('cdk-nag', () => {
  it('finds nothing in what monitoring makes', () => {
    const { app, outdir } = create({ settings: { alarmEmail: 'on-call@example.com' } })
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
    // The stubs beside it have findings, and those end the synth.
    expect(() => app.synth()).toThrow()
    const report = z
      .object({
        pluginReports: z.array(
          z.object({
            violations: z.array(
              z.object({ violatingConstructs: z.array(z.object({ constructPath: z.string() })) }),
            ),
          }),
        ),
      })
      .parse(JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')))
    const paths = report.pluginReports.flatMap(({ violations }) =>
      violations.flatMap(one => one.violatingConstructs.map(({ constructPath }) => constructPath)),
    )
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter(path => path.includes('/Monitoring/'))).toEqual([])
  })
})
