import { Duration, Validations } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { releaserEnvironment } from '../../functions/releaser/config.ts'
import type { EnvironmentOf } from '../../shared/adapters/environment.ts'
import { BridgeFunction, commonEnvironment, type FunctionSurroundings } from './bridge-function.ts'
import { onItems, onQueues, queryDueIndex, readSecrets, secretsFinding } from './permissions.ts'

/** A run takes 50 s (functions/releaser/handler.ts); the next one begins after a minute. */
const timeout = Duration.seconds(60)

/** The releaser: writes deliveries and removes marks; reads the log, the endpoints, and whether they have keys. */
export class Releaser extends BridgeFunction {
  constructor(scope: Construct, id: string, surroundings: FunctionSurroundings) {
    const { names, state } = surroundings
    const { table, queues } = state
    const keys = { secretPrefix: names.secretPrefix, kind: 'signing' } as const
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
        onQueues('Enqueue', ['SendMessage'], [queues.fast, queues.slow]),
        readSecrets(scope, keys),
      ],
    })
    Validations.of(this).acknowledge(secretsFinding(keys))
  }
}
