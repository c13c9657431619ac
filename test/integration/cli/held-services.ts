import { randomUUID } from 'node:crypto'
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import type { RunningSimulator } from '../../../infra/simulator/server.ts'
import { createRunLease } from '../../../shared/adapters/dynamodb/run-lease.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { openTable } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'

const nowMs = Date.now()

/** Seconds of an hour ago; the first two records are of one. */
export const fill = (simulator: RunningSimulator): void => {
  const second = Math.floor(nowMs / 1_000) - 3_600
  for (const stream of ['bounces', 'complaints'] as const) {
    simulator.add(
      stream,
      [0, 0, 1, 2].map(at => ({ uuid: randomUUID(), second: second + at })),
    )
  }
}

/** A folder with a source for each of the services, each polled a moment ago. */
export const holdServices = async (simulators: Readonly<Record<string, RunningSimulator>>) => {
  const folder = await holdFolder()
  const table = openTable(folder.emulators)
  const { sqs, queueUrls } = folder.emulators
  const queueClient = createQueueClient({ ...localClientSettings, endpoint: sqs.endpoint })
  const lease = createRunLease(table.document)
  const ran = (sourceId: string, agoMs: number) => lease.take({ sourceId, runId: 'r', atMs: nowMs - agoMs })
  for (const [id, simulator] of Object.entries(simulators)) {
    await folder.bridge(`source add ${id} --url ${simulator.url}`, simulator.token)
    await ran(id, 10_000)
  }
  return {
    ...folder,
    table,
    ran,
    setQueue: (name: keyof typeof queueUrls, Attributes: Record<string, string>) =>
      queueClient.send(new SetQueueAttributesCommand({ QueueUrl: queueUrls[name], Attributes })),
    [Symbol.asyncDispose]: async () => {
      queueClient.destroy()
      table[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
      await Promise.all(Object.values(simulators).map(simulator => simulator.close()))
    },
  }
}
