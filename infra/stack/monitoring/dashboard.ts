import { Duration } from 'aws-cdk-lib'
import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  type IWidget,
  Metric,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import { metricNames } from '../../../shared/adapters/telemetry/metric-names.ts'
import { alarmMetricCount } from './alarm-table.ts'
import type { AlarmOfRow } from './alarms.ts'
import { costPeriodSeconds, dollarsADay } from './cost.ts'
import { deliveryRows, failingRows, headingRow, platformRows, pollingRows } from './dashboard-rows.ts'
import { columns, type RowsProps } from './drawing.ts'
import { severities } from './severities.ts'
import { unitPrices } from './unit-prices.ts'

export type DashboardProps = RowsProps & { alarms: readonly AlarmOfRow[]; memoryMb: number }

/**
 * One page for whoever is on call, read from the top: what is wrong, is it polling, is it delivering, who is failing, do
 * the functions run, what does it cost. A dashboard of more than 50 metrics, or a fourth one, costs 3 USD a month.
 */
export const createDashboard = (scope: Construct, props: DashboardProps): Dashboard =>
  new Dashboard(scope, 'Dashboard', {
    dashboardName: props.prefix,
    defaultInterval: Duration.hours(3),
    widgets: [
      ...alarmRows(props),
      ...pollingRows(props),
      ...deliveryRows(props),
      ...failingRows(props),
      ...platformRows(props),
      ...costRows(props),
    ],
  })

const alarmRows = ({ prefix, alarms }: DashboardProps): IWidget[][] => {
  const [page, ticket, notice] = (['page', 'ticket', 'notice'] as const).map(severity => {
    const some = alarms.filter(({ row }) => row.severity === severity).map(({ alarm }) => alarm)
    return new AlarmStatusWidget({
      title: `${severity}: ${severities[severity]}`,
      alarms: some,
      sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
      width: columns / 3,
      height: 5,
    })
  })
  const markdown = `# ${prefix}\nRead from the top. Each alarm's description names its heading in RUNBOOK.md.`
  const alarmWidgets = [page, ticket, notice].filter(widget => widget !== undefined)
  return [[new TextWidget({ markdown, width: columns, height: 2 })], alarmWidgets]
}

const costRows = ({ metric, memoryMb, logGroups, alarms }: DashboardProps): IWidget[][] => {
  const logBytes = Object.values(logGroups).map(
    ({ logGroupName }) =>
      new Metric({
        namespace: 'AWS/Logs',
        metricName: 'IncomingBytes',
        dimensionsMap: { LogGroupName: logGroupName },
        statistic: 'Sum',
        period: Duration.seconds(costPeriodSeconds),
      }),
  )
  const graph = new GraphWidget({
    title: 'Estimated USD a day',
    left: dollarsADay({ metric, memoryMb, logBytes }),
    stacked: true,
    width: columns / 2,
    height: 6,
    leftYAxis: { min: 0 },
    start: '-P14D',
  })
  return [headingRow('What does it cost?'), [graph, standingPrices(alarms)]]
}

const standingPrices = (alarms: readonly AlarmOfRow[]): IWidget => {
  const alarmMetrics = alarmMetricCount(alarms.map(({ row }) => row))
  const names = Object.keys(metricNames).length
  const dollars = (value: number) => value.toFixed(2)
  const markdown = [
    `Prices: ${unitPrices.asOf}, without free tiers. Storage, traffic and KMS are not in the graph.`,
    '',
    'Beside it, a month, whatever is sent:',
    `- alarms: ${alarmMetrics} metrics, ${dollars(alarmMetrics * unitPrices.alarmMetricMonth)} USD`,
    `- metrics of its own: ${names} at most, ${dollars(names * unitPrices.customMetricMonth)} USD, and ${dollars(2 * unitPrices.customMetricMonth)} USD for each stream`,
    `- secrets: ${dollars(unitPrices.secretMonth)} USD each`,
  ].join('\n')
  return new TextWidget({ markdown, width: columns / 2, height: 6 })
}
