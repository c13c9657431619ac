import { CfnOutput, type Stack } from 'aws-cdk-lib'
import type { BridgeFunction } from './bridge-function.ts'
import type { Monitoring } from './monitoring/monitoring.ts'
import type { FunctionName, Names } from './names.ts'
import type { SimulatorService } from './simulator.ts'
import type { State } from './state.ts'

export type OutputsProps = {
  names: Names
  state: State
  functions: Record<FunctionName, BridgeFunction>
  monitoring: Monitoring
  simulator: SimulatorService | null
}

/** What the operator's command, the runbook and a person need to find what was deployed. */
export const addOutputs = (
  stack: Stack,
  { names, state, functions, monitoring, simulator }: OutputsProps,
): void => {
  const { queues } = state
  const outputs = {
    Prefix: names.stack,
    TableName: state.table.tableName,
    FastQueueUrl: queues.fast.queueUrl,
    SlowQueueUrl: queues.slow.queueUrl,
    DeadLettersQueueUrl: queues.deadLetters.queueUrl,
    FailedRunsQueueUrl: queues.failedRuns.queueUrl,
    SecretPrefix: names.secretPrefix,
    PollerName: functions.poller.lambda.functionName,
    DispatcherName: functions.dispatcher.lambda.functionName,
    ReleaserName: functions.releaser.lambda.functionName,
    ScheduleGroup: names.scheduleGroup,
    DashboardUrl: monitoring.dashboardUrl,
    ...(monitoring.alarmTopic !== undefined && { AlarmTopicArn: monitoring.alarmTopic.topicArn }),
    ...(simulator !== null && { SimulatorUrl: simulator.url }),
  }
  for (const [id, value] of Object.entries(outputs)) new CfnOutput(stack, id, { value })
}
