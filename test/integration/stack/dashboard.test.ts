import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { alarmTable } from '../../../infra/stack/monitoring/alarm-table.ts'
import { byStream, metricNames } from '../../../shared/adapters/telemetry/metric-names.ts'
import { create, prefix, settings } from './support/monitoring-stack.ts'

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
