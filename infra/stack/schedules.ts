import { Aws, Duration } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import {
  type IScheduleTarget,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { runEveryMinutes } from '../../shared/domain/polling/run-schedule.ts'
import type { Names } from './names.ts'
import { onQueues, useKeyOfQueues } from './permissions.ts'

/** The least that Scheduler takes. A tick that is later is none: the next one is due. */
const tickAgeMaxSeconds = 60
const releaseEveryMinutes = 1

export type SchedulesProps = {
  names: Names
  pollEverySeconds: number
  poller: IFunction
  releaser: IFunction
  failedRuns: IQueue
  encryptionKey: IKey | null
}

/** What starts the poller and the releaser. A schedule is not encrypted by a key of yours: there is nothing in it. */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id)
    const group = new ScheduleGroup(this, 'Group', { scheduleGroupName: props.names.scheduleGroup })
    const role = createRole(this, props, group.scheduleGroupArn)
    const every = (name: string, minutes: number, lambda: IFunction, description: string) => {
      const schedule = new Schedule(this, name, {
        scheduleName: name.toLowerCase(),
        scheduleGroup: group,
        description,
        schedule: ScheduleExpression.rate(Duration.minutes(minutes)),
        target: targetOf({ lambda, role, failedRuns: props.failedRuns }),
      })
      // It names the group by its name alone, and Scheduler tries the role when a schedule is made.
      schedule.node.addDependency(group, role)
    }
    every('Poller', runEveryMinutes(props.pollEverySeconds), props.poller, 'Starts a run of the poller')
    every('Releaser', releaseEveryMinutes, props.releaser, 'Starts a run of the releaser')
  }
}

const createRole = (scope: Construct, props: SchedulesProps, groupArn: string): Role => {
  const role = new Role(scope, 'Role', {
    description: `Starts the poller and the releaser of ${props.names.stack}`,
    // Else anybody's schedule that names this role could use it (EventBridge Scheduler User Guide, "Confused deputy
    // prevention": the source is the group, not the schedule).
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': groupArn } },
    }),
  })
  const statements = [
    new PolicyStatement({
      sid: 'StartRuns',
      actions: ['lambda:InvokeFunction'],
      resources: [props.poller.functionArn, props.releaser.functionArn],
    }),
    onQueues('TellOfFailedStarts', ['SendMessage'], [props.failedRuns]),
    ...(props.encryptionKey === null ? [] : useKeyOfQueues(props.encryptionKey)),
  ]
  for (const statement of statements) role.addToPrincipalPolicy(statement)
  return role
}

/** CDK's own target would allow every version and alias of the function. */
const targetOf = (of: { lambda: IFunction; role: Role; failedRuns: IQueue }): IScheduleTarget => ({
  bind: () => ({
    arn: of.lambda.functionArn,
    role: of.role,
    input: ScheduleTargetInput.fromObject({}),
    deadLetterConfig: { arn: of.failedRuns.queueArn },
    retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: tickAgeMaxSeconds },
  }),
})
