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

type Waiting = { record: SQSRecord; sinceMs: number }
/** `messages` and `bytes` are of all that it has in hand. */
type EndpointLane = { waiting: Waiting[]; running: number; messages: number; bytes: number }

/** What one endpoint may have in hand while others want room. */
export type Share = { messages: number; bytes: number }

export type EndpointLanes = {
  /** Messages waiting, being handled, or taken as excess. */
  inHand(): number
  bytesInHand(): number
  /** Messages in hand of whoever has fewest, among so many endpoints. */
  fewest(among: number): number
  add(records: readonly SQSRecord[]): void
  /**
   * Of each endpoint whose oldest has waited for `waitedMs`, the newest that wait beyond its share. They count as in hand
   * until they are forgotten.
   */
  takeExcess(share: Share, waitedMs: number): readonly SQSRecord[]
  forget(records: readonly SQSRecord[]): void
  /** Forgets what waits; what is being handled goes on. */
  dropWaiting(): void
}

/**
 * Messages in hand, apart by endpoint: each endpoint has its own batches, so many at once, so that one that is slow
 * holds up its own messages and nobody else's. `run` must not reject.
 */
export const createEndpointLanes = (of: {
  batchesPerEndpointMax: number
  /** What has waited longer is forgotten and not run: the queue hands it out again. */
  waitingMsMax: number
  now: () => number
  run: (batch: readonly SQSRecord[]) => Promise<void>
  /** Called whenever there is less in hand than before. */
  onRoom: () => void
}): EndpointLanes => {
  const lanes = new Map<string, EndpointLane>()
  let inHand = 0
  let bytes = 0

  const count = (lane: EndpointLane, { body }: SQSRecord, sign: 1 | -1): void => {
    inHand += sign
    lane.messages += sign
    bytes += sign * body.length
    lane.bytes += sign * body.length
  }
  const forget = (records: readonly SQSRecord[]): void => {
    for (const record of records) {
      const name = endpointOf(record)
      const lane = lanes.get(name)
      if (lane === undefined) continue
      count(lane, record, -1)
      if (lane.messages === 0) lanes.delete(name)
    }
    of.onRoom()
  }
  const dropOverdue = (lane: EndpointLane): void => {
    const sinceMsMin = of.now() - of.waitingMsMax
    const inTime = lane.waiting.findIndex(({ sinceMs }) => sinceMs >= sinceMsMin)
    forget(recordsOf(lane.waiting.splice(0, inTime === -1 ? lane.waiting.length : inTime)))
  }
  const runBatch = async (lane: EndpointLane, batch: readonly SQSRecord[]): Promise<void> => {
    await of.run(batch)
    lane.running -= 1
    dropOverdue(lane)
    fill(lane)
    // Last: a lane that has nothing in hand is gone.
    forget(batch)
  }
  const fill = (lane: EndpointLane): void => {
    while (lane.waiting.length > 0 && lane.running < of.batchesPerEndpointMax) {
      lane.running += 1
      void runBatch(lane, recordsOf(lane.waiting.splice(0, batchMessagesMax)))
    }
  }

  return {
    inHand: () => inHand,
    bytesInHand: () => bytes,
    fewest: among =>
      lanes.size < among ? 0 : Math.min(...[...lanes.values()].map(({ messages }) => messages)),
    add: records => {
      const sinceMs = of.now()
      for (const [name, group] of Map.groupBy(records, endpointOf)) {
        const lane = lanes.get(name) ?? { waiting: [], running: 0, messages: 0, bytes: 0 }
        lanes.set(name, lane)
        for (const record of group) {
          count(lane, record, 1)
          lane.waiting.push({ record, sinceMs })
        }
        fill(lane)
      }
    },
    takeExcess: (share, waitedMs) => {
      const sinceMsMax = of.now() - waitedMs
      return [...lanes.values()]
        .filter(({ waiting: [oldest] }) => oldest !== undefined && oldest.sinceMs <= sinceMsMax)
        .flatMap(lane => recordsOf(lane.waiting.splice(keptOf(lane, share))))
    },
    forget,
    dropWaiting: () => {
      for (const lane of lanes.values()) forget(recordsOf(lane.waiting.splice(0)))
      of.onRoom()
    },
  }
}

const recordsOf = (waiting: readonly Waiting[]): readonly SQSRecord[] => waiting.map(({ record }) => record)

/** How many of those that wait are within the share, after what is being handled. */
const keptOf = ({ waiting, messages, bytes }: EndpointLane, share: Share): number => {
  let over = { messages: messages - share.messages, bytes: bytes - share.bytes }
  let kept = waiting.length
  while (kept > 0 && (over.messages > 0 || over.bytes > 0)) {
    kept -= 1
    over = {
      messages: over.messages - 1,
      bytes: over.bytes - (waiting[kept]?.record.body.length ?? 0),
    }
  }
  return kept
}
