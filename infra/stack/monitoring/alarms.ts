import { Duration } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { type AlarmRow, alarmName, descriptionOf, type MissingData } from './alarm-row.ts'
import type { CreateMetric } from './metrics.ts'

const missingData: Record<MissingData, TreatMissingData> = {
  breaching: TreatMissingData.BREACHING,
  notBreaching: TreatMissingData.NOT_BREACHING,
  ignore: TreatMissingData.IGNORE,
}

const comparisons: Record<AlarmRow['comparison'], ComparisonOperator> = {
  'at least': ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  below: ComparisonOperator.LESS_THAN_THRESHOLD,
}

export type AlarmsProps = {
  prefix: string
  rows: readonly AlarmRow[]
  metric: CreateMetric
  topic: ITopic | undefined
}

export type AlarmOfRow = { row: AlarmRow; alarm: Alarm }

/** The alarms of the table. Pages and tickets also tell when they are over. */
export class Alarms extends Construct {
  readonly all: readonly AlarmOfRow[]

  constructor(scope: Construct, id: string, { prefix, rows, metric, topic }: AlarmsProps) {
    super(scope, id)
    this.all = rows.map(row => {
      const alarm = new Alarm(this, row.key, {
        alarmName: alarmName(prefix, row),
        alarmDescription: descriptionOf(row),
        metric: measured(row, metric),
        comparisonOperator: comparisons[row.comparison],
        threshold: row.threshold,
        evaluationPeriods: row.evaluationPeriods,
        datapointsToAlarm: row.datapointsToAlarm,
        treatMissingData: missingData[row.missing],
      })
      if (topic !== undefined) {
        alarm.addAlarmAction(new SnsAction(topic))
        if (row.severity !== 'notice') alarm.addOkAction(new SnsAction(topic))
      }
      return { row, alarm }
    })
  }
}

const measured = (row: AlarmRow, metric: CreateMetric): IMetric => {
  const usingMetrics = Object.fromEntries(
    Object.entries(row.metrics).map(([id, ref]) => [id, metric(ref, row.periodSeconds)]),
  )
  const [only, ...others] = Object.values(usingMetrics)
  if (row.expression === undefined && only !== undefined && others.length === 0) return only
  return new MathExpression({
    expression: row.expression ?? '',
    usingMetrics,
    label: row.key,
    period: Duration.seconds(row.periodSeconds),
  })
}
