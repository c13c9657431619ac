import { Duration, Validations } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { dispatcherEnvironment } from '../../functions/dispatcher/config.ts'
import type { EnvironmentOf } from '../../shared/adapters/environment.ts'
import { dayMs } from '../../shared/domain/time-units.ts'
import { BridgeFunction, commonEnvironment, type FunctionSurroundings } from './bridge-function.ts'
import { LaneSource } from './lane-source.ts'
import { onItems, onQueues } from './permissions.ts'
import { readSecrets, secretsFindings } from './secret-permissions.ts'

/** A batch's attempts run all at once, each within its deadline of 30 s at most. */
export const dispatcherTimeoutSeconds = 60

/** The dispatcher with both its lanes: reads signing keys and authorizations, and no API tokens; writes deliveries and endpoints' states. */
export class Dispatcher extends BridgeFunction {
  constructor(scope: Construct, id: string, surroundings: FunctionSurroundings) {
    const { names, settings, state } = surroundings
    const { table, queues } = state
    const lanes = [queues.fast, queues.slow]
    const secrets = { secretPrefix: names.secretPrefix, kinds: ['signing', 'authorization'] } as const
    const environment: EnvironmentOf<typeof dispatcherEnvironment> = {
      ...commonEnvironment(surroundings),
      DEAD_LETTERS_QUEUE_URL: queues.deadLetters.queueUrl,
      FAST_QUEUE_ARN: queues.fast.queueArn,
      SLOW_QUEUE_ARN: queues.slow.queueArn,
      DEADLINE_MS: String(settings.deadlineSeconds * 1_000),
      DISABLE_AFTER_MS: String(settings.disableAfterDays * dayMs),
    }
    super(scope, id, {
      ...surroundings,
      name: 'dispatcher',
      description: 'Signs events and sends them to their endpoints',
      timeout: Duration.seconds(dispatcherTimeoutSeconds),
      environment,
      ...(settings.reservedConcurrency !== undefined && {
        reservedConcurrency: settings.reservedConcurrency,
      }),
      statements: [
        onItems(table, 'ReadEndpoints', ['GetItem', 'Query'], ['endpoint']),
        onItems(table, 'MarkEndpoints', ['UpdateItem'], ['endpoint']),
        onItems(table, 'ReadDeliveries', ['GetItem', 'BatchGetItem'], ['delivery']),
        onItems(table, 'WriteDeliveries', ['PutItem'], ['delivery']),
        onItems(table, 'TakeOfLimits', ['GetItem', 'PutItem'], ['pace']),
        onItems(table, 'CountForHeartbeats', ['UpdateItem'], ['heartbeat']),
        // What an event source needs of the role (Lambda Developer Guide, "Creating and configuring an Amazon SQS event
        // source mapping"); what is settled early is deleted by the function itself.
        onQueues('Receive', ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'], lanes),
        onQueues('SendAgainOrGiveUp', ['SendMessage'], [...lanes, queues.deadLetters]),
        readSecrets(scope, secrets),
      ],
    })
    Validations.of(this).acknowledge(...secretsFindings(secrets))
    const { batchingWindowSeconds } = settings
    const from = { lambda: this.lambda, batchingWindowSeconds }
    new LaneSource(this, 'FastLane', {
      ...from,
      queue: queues.fast,
      concurrencyMax: settings.fastConcurrency,
    })
    new LaneSource(this, 'SlowLane', {
      ...from,
      queue: queues.slow,
      concurrencyMax: settings.slowConcurrency,
    })
  }
}
