import dynalite from 'dynalite'
import { buildApp } from 'fauxqs'
import { localClientSettings } from '../../../../infra/local/emulators.ts'
import { close, listen } from '../../../../infra/local/loopback.ts'
import {
  createDocumentClient,
  createTableClient,
} from '../../../../shared/adapters/dynamodb/document-client.ts'
import { createQueueClient } from '../../../../shared/adapters/sqs/client.ts'
import type { Assembly } from './assembly.ts'
import { type EventBus, startEventBus } from './event-bus.ts'
import { createResolver, type Resolver, type Where } from './intrinsics.ts'
import { createTemplateQueues, type TemplateQueue } from './queues-from-template.ts'
import { generateSecret, type SecretsManager, startSecretsManager } from './secrets-manager.ts'
import { createTemplateTable } from './table-from-template.ts'

export type StackEmulators = {
  endpoints: { dynamodb: string; sqs: string; secretsmanager: string; events: string }
  secrets: SecretsManager
  bus: EventBus
  queues: readonly TemplateQueue[]
  /** For the test itself; functions have clients of their own. */
  document: ReturnType<typeof createDocumentClient>
  sqs: ReturnType<typeof createQueueClient>
  /** What names lead to, through a queue endpoint. */
  where(queueEndpoint: string): Where
  close(): Promise<void>
}

/** Emulators on loopback that hold exactly what the template creates: its table, its queues, its secrets. */
export const startStackEmulators = async (assembly: Assembly): Promise<StackEmulators> => {
  const table = dynalite({ createTableMs: 0 })
  // Its own `startFauxqs` listens on every address of the machine.
  const queueApp = buildApp({ logger: false })
  const secrets = await startSecretsManager()
  const bus = await startEventBus()
  const endpoints = {
    dynamodb: await listen(table),
    sqs: await queueApp.listen({ host: '127.0.0.1', port: 0 }),
    secretsmanager: secrets.endpoint,
    events: bus.endpoint,
  }
  const tableSettings = { ...localClientSettings, endpoint: endpoints.dynamodb }
  const tableClient = createTableClient(tableSettings)
  const document = createDocumentClient(tableSettings)
  const sqs = createQueueClient({ ...localClientSettings, endpoint: endpoints.sqs })
  const where = (queueEndpoint: string): Where => ({
    queueUrl: name => `${queueEndpoint}/000000000000/${name}`,
    secretArn: name => secrets.arn(name),
  })
  await createTemplateTable(tableClient, assembly)
  tableClient.destroy()
  const resolver = createResolver(assembly, where(endpoints.sqs))
  createTemplateSecrets(secrets, assembly, resolver)
  return {
    endpoints,
    secrets,
    bus,
    document,
    sqs,
    queues: await createTemplateQueues(sqs, assembly, resolver),
    where,
    close: async () => {
      document.destroy()
      sqs.destroy()
      await Promise.all([queueApp.close(), close(table), secrets.close(), bus.close()])
    },
  }
}

const createTemplateSecrets = (secrets: SecretsManager, assembly: Assembly, resolver: Resolver): void => {
  for (const { properties } of assembly.ofType('AWS::SecretsManager::Secret')) {
    secrets.put(resolver.text(properties['Name']), generateSecret(properties['GenerateSecretString']))
  }
}
