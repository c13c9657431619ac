import { Duration } from 'aws-cdk-lib'
import {
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  SearchExpression,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import {
  type MetricKey,
  metricNames,
  metricsNamespace,
  serviceDimension,
  streamDimensions,
} from '../../../shared/adapters/telemetry/metric-names.ts'
import type { FunctionName } from '../names.ts'
import type { MetricRef, Statistic, WatchedResource } from './alarm-row.ts'
import type { CreateMetric } from './metrics.ts'

/** CloudWatch's grid has 24 columns. */
export const columns = 24
const graphsInRow = 4
const graphHeight = 6
const graphPeriodSeconds = 300

/** What every row is made with. */
export type RowsProps = { prefix: string; metric: CreateMetric; logGroups: Record<FunctionName, ILogGroup> }

type Draw = {
  own: (metric: MetricKey, statistic: Statistic, label?: string) => IMetric
  aws: (of: WatchedResource, metric: string, statistic: Statistic, label: string) => IMetric
  ofStreams: (metric: MetricKey) => IMetric
  graph: (title: string, left: IMetric[], right?: IMetric[]) => IWidget
}

/** How graphs of this dashboard are drawn. */
export const drawing = ({ prefix, metric }: RowsProps): Draw => {
  const at = (ref: MetricRef, label?: string) => metric(ref, graphPeriodSeconds, label)
  return {
    own: (name, statistic, label) => at({ of: 'bridge', metric: name, statistic }, label),
    aws: (of, name, statistic, label) => at({ of, metric: name, statistic }, label),
    // Sources come and go: a search finds those that there are.
    ofStreams: name =>
      new SearchExpression({
        expression: `SEARCH('{${[metricsNamespace, serviceDimension, ...streamDimensions].join(',')}} MetricName="${metricNames[name].name}" ${serviceDimension}="${prefix}"', 'Maximum', ${graphPeriodSeconds})`,
        label: '',
        period: Duration.seconds(graphPeriodSeconds),
      }),
    graph: (title, left, right = []) =>
      new GraphWidget({
        title,
        left,
        right,
        width: columns / graphsInRow,
        height: graphHeight,
        leftYAxis: { min: 0 },
      }),
  }
}

/** What a query of Logs Insights answers, as a table. */
export const logTable = (of: {
  title: string
  logGroups: readonly ILogGroup[]
  query: readonly string[]
  width: number
}): IWidget =>
  new LogQueryWidget({
    title: of.title,
    logGroupNames: of.logGroups.map(({ logGroupName }) => logGroupName),
    queryLines: [...of.query],
    view: LogQueryVisualizationType.TABLE,
    width: of.width,
    height: graphHeight,
  })
