import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { localClientSettings } from '../../../../infra/local/emulators.ts'
import { createQueueClient } from '../../../../shared/adapters/sqs/client.ts'
import type { Assembly } from './assembly.ts'
import { makeCertificate } from './certificate.ts'
import { type Customers, startCustomers } from './customers.ts'
import { type DeployedFunction, deployFunction } from './deployed-function.ts'
import { type StackEmulators, startStackEmulators } from './emulators.ts'
import { pumpOnce, readEventSourceMappings } from './event-source-mapping.ts'
import type { FunctionProcess, Outcome } from './function-process.ts'
import { createResolver } from './intrinsics.ts'
import { type TableKeys, tableKeys } from './table-from-template.ts'

/** More than any test has on its way. */
const handledMax = 200

export type FunctionName = 'poller' | 'dispatcher' | 'releaser'

/** The synthesized stack, standing on emulators. */
export type Deployment = {
  assembly: Assembly
  table: TableKeys
  emulators: StackEmulators
  customers: Customers
  functions: Readonly<Record<FunctionName, DeployedFunction>>
  /** An asynchronous invocation of a new instance, as the schedule makes it; what fails goes where Lambda sends it. */
  run(name: 'poller' | 'releaser', changes?: Readonly<Record<string, string>>): Promise<Outcome>
  /** Hands the lanes' messages to a new dispatcher until none is left; waits at most so long for the first. */
  drain(waitSeconds?: number): Promise<number>
  close(): Promise<void>
}

export type Synthesized = { folder: string; prefix: string; assembly: Assembly }

/** Creates on emulators what the template says, and makes its functions ready. */
export const deploy = async ({ folder, prefix, assembly }: Synthesized): Promise<Deployment> => {
  const tls = await makeCertificate()
  const authorityFile = join(folder, 'authority.pem')
  await writeFile(authorityFile, tls.cert)
  const table = tableKeys(assembly)
  const emulators = await startStackEmulators(assembly)
  const customers = await startCustomers(tls)
  const deployed = (name: FunctionName) =>
    deployFunction(`${prefix}-${name}`, { assembly, emulators, table, authorityFile })
  const functions = {
    poller: await deployed('poller'),
    dispatcher: await deployed('dispatcher'),
    releaser: await deployed('releaser'),
  }
  return {
    assembly,
    table,
    emulators,
    customers,
    functions,
    run: async (name, changes) => {
      const { start, payload } = functions[name]
      const instance = await start(changes)
      try {
        const outcome = await instance.invoke(payload())
        if (!outcome.ok) await sendFailure(functions[name], outcome)
        return outcome
      } finally {
        await instance.stop()
      }
    },
    drain: waitSeconds => drain(assembly, functions.dispatcher, waitSeconds ?? 0),
    close: async () => {
      await Promise.all(Object.values(functions).map(({ proxy }) => proxy.close()))
      await Promise.all([customers.close(), emulators.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The queue's name is the last part of its ARN; through the function's proxy, since Lambda acts with its role. */
const throughProxy = ({ proxy }: DeployedFunction, queueArn: string) => ({
  client: createQueueClient({ ...localClientSettings, endpoint: proxy.endpoint }),
  queueUrl: `${proxy.endpoint}/000000000000/${queueArn.split(':').at(-1)}`,
})

const drain = async (
  assembly: Assembly,
  dispatcher: DeployedFunction,
  waitSeconds: number,
): Promise<number> => {
  const resolver = createResolver(assembly, { queueUrl: name => name, secretArn: name => name })
  const lanes = readEventSourceMappings(assembly, resolver).map(mapping => ({
    mapping,
    ...throughProxy(dispatcher, mapping.EventSourceArn),
  }))
  const instance = await dispatcher.start()
  let handled = 0
  try {
    for (let batch = -1; batch !== 0; handled += batch) {
      if (handled > handledMax) throw new Error('the messages go round in a circle')
      batch = 0
      for (const lane of lanes) {
        const wait = handled + batch === 0 ? waitSeconds : 0
        batch += await pumpOnce({ ...lane, waitSeconds: wait, invoke: event => resultOf(instance, event) })
      }
    }
    return handled
  } finally {
    for (const { client } of lanes) client.destroy()
    await instance.stop()
  }
}

const resultOf = async (instance: FunctionProcess, event: unknown): Promise<unknown> => {
  const outcome = await instance.invoke(event)
  if (!outcome.ok) throw new Error(`the dispatcher failed: ${outcome.type}: ${outcome.message}`)
  return outcome.result
}

/** A record of the failure, in short, to the destination of the template. */
const sendFailure = async (of: DeployedFunction, { type, message }: { type: string; message: string }) => {
  const { client, queueUrl } = throughProxy(of, of.failures.destinationArn)
  const body = JSON.stringify({ responsePayload: { errorType: type, errorMessage: message } })
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }))
  client.destroy()
}
