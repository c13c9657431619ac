import { Duration, Stack, Validations } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import type { releaserEnvironment } from '../../functions/releaser/config.ts'
import type { EnvironmentOf } from '../../shared/adapters/environment.ts'
import { operatorEventSource } from '../../shared/adapters/eventbridge/operator-events.ts'
import { BridgeFunction, commonEnvironment, type FunctionSurroundings } from './bridge-function.ts'
import { onItems, onQueues, queryDueIndex } from './permissions.ts'
import { readSecrets, secretsFindings } from './secret-permissions.ts'

/** A run takes 50 s (functions/releaser/handler.ts); the next one begins after a minute. */
const timeout = Duration.seconds(60)

/**
 * The releaser: writes deliveries and removes marks; reads the log, the endpoints, and whether their secrets are there;
 * tells the operator of what was disabled, and sends heartbeats.
 */
export class Releaser extends BridgeFunction {
  constructor(scope: Construct, id: string, surroundings: FunctionSurroundings) {
    const { names, state } = surroundings
    const { table, queues } = state
    const secrets = { secretPrefix: names.secretPrefix, kinds: ['signing', 'authorization'] } as const
    const environment: EnvironmentOf<typeof releaserEnvironment> = commonEnvironment(surroundings)
    super(scope, id, {
      ...surroundings,
      name: 'releaser',
      description: 'Sends again what is due or was held, and what has no delivery',
      timeout,
      environment,
      statements: [
        onItems(table, 'ListSourcesEndpointsAndMarks', ['Query'], ['source', 'endpoint', 'mark']),
        queryDueIndex(table),
        onItems(table, 'ReadLog', ['GetItem', 'Query'], ['event']),
        onItems(table, 'ReadDeliveries', ['GetItem', 'BatchGetItem', 'Query'], ['delivery']),
        onItems(table, 'WriteDeliveries', ['PutItem', 'UpdateItem'], ['delivery']),
        onItems(table, 'LowerAndRemoveMarks', ['UpdateItem', 'DeleteItem'], ['mark']),
        onItems(table, 'ReadCursors', ['GetItem'], ['cursor']),
        onItems(table, 'TakeHeartbeats', ['GetItem', 'UpdateItem'], ['heartbeat']),
        onItems(table, 'NoteWhatWasTold', ['UpdateItem'], ['endpoint']),
        putOperatorEvents(scope),
        onQueues('Enqueue', ['SendMessage'], [queues.fast, queues.slow]),
        readSecrets(scope, secrets),
      ],
    })
    Validations.of(this).acknowledge(...secretsFindings(secrets))
  }
}

/**
 * Putting the bridge's own events on the account's default bus. The key has a value for each entry of a request, so all of
 * them are asked for, and that there is one at all (Service Authorization Reference, "Amazon EventBridge"; IAM User Guide,
 * "Set operators").
 */
const putOperatorEvents = (scope: Construct): PolicyStatement =>
  new PolicyStatement({
    sid: 'TellOperator',
    actions: ['events:PutEvents'],
    resources: [
      Stack.of(scope).formatArn({ service: 'events', resource: 'event-bus', resourceName: 'default' }),
    ],
    conditions: {
      'ForAllValues:StringEquals': { 'events:source': [operatorEventSource] },
      Null: { 'events:source': 'false' },
    },
  })
