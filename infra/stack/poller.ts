import { Duration, Validations } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { pollerEnvironment } from '../../functions/poller/config.ts'
import type { EnvironmentOf } from '../../shared/adapters/environment.ts'
import { BridgeFunction, commonEnvironment, type FunctionSurroundings } from './bridge-function.ts'
import { onItems, onQueues } from './permissions.ts'
import { readSecrets, secretsFindings } from './secret-permissions.ts'

/** A run takes 150 s (functions/poller/handler.ts); the rest is for what it has begun. */
const timeout = Duration.seconds(180)

/** The poller: reads API tokens, and no signing keys; writes cursors and the log, and no deliveries. */
export class Poller extends BridgeFunction {
  constructor(scope: Construct, id: string, surroundings: FunctionSurroundings) {
    const { names, settings, state } = surroundings
    const { table, queues } = state
    const tokens = { secretPrefix: names.secretPrefix, kinds: ['token'] } as const
    const environment: EnvironmentOf<typeof pollerEnvironment> = {
      ...commonEnvironment(surroundings),
      POLL_EVERY_SECONDS: String(settings.pollEverySeconds),
    }
    super(scope, id, {
      ...surroundings,
      name: 'poller',
      description: 'Reads bounces and complaints from the email service and enqueues what is new',
      timeout,
      environment,
      statements: [
        onItems(table, 'ListSourcesAndEndpoints', ['Query'], ['source', 'endpoint']),
        onItems(table, 'ReadLog', ['Query', 'BatchGetItem'], ['event']),
        onItems(table, 'WriteLog', ['BatchWriteItem'], ['event']),
        onItems(table, 'ReadCursorsAndQuarantine', ['GetItem'], ['cursor', 'quarantine']),
        onItems(table, 'WriteCursorsAndQuarantine', ['PutItem'], ['cursor', 'quarantine']),
        // The lease of a run stands beside the cursors.
        onItems(table, 'TakeLeaseAndMark', ['UpdateItem'], ['cursor', 'mark']),
        onQueues('Enqueue', ['SendMessage'], [queues.fast, queues.slow]),
        readSecrets(scope, tokens),
      ],
    })
    Validations.of(this).acknowledge(...secretsFindings(tokens))
  }
}
