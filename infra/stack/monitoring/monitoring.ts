import { Stack } from 'aws-cdk-lib'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { FunctionName } from '../names.ts'
import type { StackSettings } from '../settings.ts'
import { alarmTable } from './alarm-table.ts'
import { alarmTopicOf } from './alarm-topic.ts'
import { Alarms } from './alarms.ts'
import { createDashboard } from './dashboard.ts'
import { createMetricsOf, type WatchedStack } from './metrics.ts'

export type MonitoringProps = WatchedStack & {
  settings: Pick<
    StackSettings,
    'pollEverySeconds' | 'deadlineSeconds' | 'memoryMb' | 'alarmEmail' | 'alarmTopicArn'
  >
  logGroups: Record<FunctionName, ILogGroup>
  /** For the topic; its policy has to let CloudWatch use it. */
  encryptionKey?: IKey | null
}

/** Alarms, where they are told, and the dashboard. */
export class Monitoring extends Construct {
  /** Undefined where nobody asked to be told. */
  readonly alarmTopic: ITopic | undefined
  readonly dashboardUrl: string

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id)
    const { prefix, settings, logGroups, encryptionKey = null } = props
    const metric = createMetricsOf(props)
    this.alarmTopic = alarmTopicOf(this, { prefix, settings, encryptionKey })
    const rows = alarmTable(settings)
    const alarms = new Alarms(this, 'Alarms', { prefix, rows, metric, topic: this.alarmTopic })
    createDashboard(this, { prefix, metric, logGroups, alarms: alarms.all, memoryMb: settings.memoryMb })
    const { region } = Stack.of(this)
    this.dashboardUrl = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${prefix}`
  }
}
