import type { SQSRecord } from 'aws-lambda'

/** An event source mapping's batch size. */
export const batchMessagesMax = 10
/** `endpointId` is among the first fields of a message, before its body: no need to parse the whole of it. */
const headCharsMax = 400
const endpointForm = /"endpointId":"([^"\\]+)"/
/** Where what names no endpoint waits. */
const nobody = ''

/** Whose message this is, as far as can be told at a glance; the dispatcher reads it properly. */
export const endpointOf = (record: Pick<SQSRecord, 'body'>): string =>
  endpointForm.exec(record.body.slice(0, headCharsMax))?.[1] ?? nobody

type EndpointLane = { waiting: SQSRecord[]; running: number }

export type EndpointLanes = {
  /** Messages waiting or being handled. */
  inHand(): number
  bytesInHand(): number
  add(records: readonly SQSRecord[]): void
  /** Forgets what waits; what is being handled goes on. */
  dropWaiting(): void
}

/**
 * Messages in hand, apart by endpoint: each endpoint has its own batches, so many at once, so that one that is slow
 * holds up its own messages and nobody else's. `run` must not reject.
 */
export const createEndpointLanes = (of: {
  batchesPerEndpointMax: number
  run: (batch: readonly SQSRecord[]) => Promise<void>
  /** Called whenever there is less in hand than before. */
  onRoom: () => void
}): EndpointLanes => {
  const lanes = new Map<string, EndpointLane>()
  let inHand = 0
  let bytes = 0

  const forget = (records: readonly SQSRecord[]): void => {
    inHand -= records.length
    for (const { body } of records) bytes -= body.length
  }
  const runBatch = async (name: string, lane: EndpointLane, batch: readonly SQSRecord[]): Promise<void> => {
    await of.run(batch)
    lane.running -= 1
    forget(batch)
    fill(name, lane)
    of.onRoom()
  }
  const fill = (name: string, lane: EndpointLane): void => {
    while (lane.waiting.length > 0 && lane.running < of.batchesPerEndpointMax) {
      lane.running += 1
      void runBatch(name, lane, lane.waiting.splice(0, batchMessagesMax))
    }
    if (lane.running === 0) lanes.delete(name)
  }

  return {
    inHand: () => inHand,
    bytesInHand: () => bytes,
    add: records => {
      for (const [name, group] of Map.groupBy(records, endpointOf)) {
        const lane = lanes.get(name) ?? { waiting: [], running: 0 }
        lanes.set(name, lane)
        inHand += group.length
        for (const { body } of group) bytes += body.length
        lane.waiting.push(...group)
        fill(name, lane)
      }
    },
    dropWaiting: () => {
      for (const lane of lanes.values()) forget(lane.waiting.splice(0))
      of.onRoom()
    },
  }
}
