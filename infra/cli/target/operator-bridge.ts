import type { SQSClient } from '@aws-sdk/client-sqs'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createReconcileMarks } from '../../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { createDeliveryQueue } from '../../../shared/adapters/sqs/delivery-queue.ts'
import type { QueueUrls } from '../../../shared/adapters/sqs/queues.ts'
import type { DeliveryQueue } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { DeliveryStore } from '../../../shared/domain/delivery/delivery-store.ts'
import type { EndpointStore } from '../../../shared/domain/endpoint/endpoint-store.ts'
import type { CursorStore } from '../../../shared/domain/polling/cursor.ts'
import type { EventLog } from '../../../shared/domain/polling/event-log.ts'
import type { Quarantine } from '../../../shared/domain/polling/quarantine.ts'
import type { ReconcileMarks } from '../../../shared/domain/release/reconcile-marks.ts'
import type { SecretStore } from '../../../shared/domain/secret-store.ts'
import type { SecretWriter } from '../../../shared/domain/secret-writer.ts'
import type { SourceStore } from '../../../shared/domain/source-store.ts'
import type { DeployedStack } from './stack-outputs.ts'

/** Which bridge it is. */
export type Target =
  | { kind: 'local'; dataDir: string; isRunning: boolean }
  | { kind: 'stack'; name: string; stack: DeployedStack }

/** A bridge as its operator holds it: the same for a deployed stack and a local one. */
export type OperatorBridge = {
  target: Target
  sources: SourceStore
  endpoints: EndpointStore
  cursors: CursorStore
  log: EventLog
  store: DeliveryStore
  quarantine: Quarantine
  marks: ReconcileMarks
  queue: DeliveryQueue
  queueClient: SQSClient
  queueUrls: QueueUrls
  table: { client: DynamoDBDocumentClient; tableName: string }
  secrets: SecretStore
  secretWriter: SecretWriter
  close(): Promise<void>
}

type ClientSettings = NonNullable<Parameters<typeof createDocumentClient>[0]>

/** Composes a bridge of its table, queues and secrets. Its `close` closes the clients, then calls `onClose`. */
export const composeOperatorBridge = (of: {
  target: Target
  dynamodb: { settings: ClientSettings; tableName: string }
  sqs: { settings: ClientSettings; queueUrls: QueueUrls }
  secrets: SecretStore
  secretWriter: SecretWriter
  onClose: () => Promise<void>
}): OperatorBridge => {
  const { target, secrets, secretWriter } = of
  const { queueUrls } = of.sqs
  const table = { client: createDocumentClient(of.dynamodb.settings), tableName: of.dynamodb.tableName }
  const queueClient = createQueueClient(of.sqs.settings)
  return {
    target,
    sources: createSourceStore(table),
    endpoints: createEndpointStore(table),
    cursors: createCursorStore(table),
    log: createEventLog(table),
    store: createDeliveryStore(table),
    quarantine: createQuarantine(table),
    marks: createReconcileMarks(table),
    queue: createDeliveryQueue({ client: queueClient, queueUrls }),
    queueClient,
    queueUrls,
    table,
    secrets,
    secretWriter,
    close: async () => {
      queueClient.destroy()
      table.client.destroy()
      await of.onClose()
    },
  }
}
