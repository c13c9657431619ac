import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import { createKnownRecords, rememberedMax } from '../../../shared/domain/polling/known-records.ts'

const of = { sourceId: 'src_0123456789abcdef', stream: 'bounces' } as const

/**
 * Heap that the memory of what is recorded takes for each record, in bytes. It grows by design, until it has
 * `rememberedMax`: what a soak sees of it is no leak.
 */
export const bytesOfKnownRecord = (): number => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heapNow = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const known = createKnownRecords({ log: createMemoryEventLog(), ...of })
  const before = heapNow()
  for (let at = 0; at < rememberedMax; at += 1) {
    known.remember([eventId({ ...of, uuid: `record-${at}`, second: 1_763_631_000 + at })])
  }
  const bytes = heapNow() - before
  // So that it is not garbage before it is weighed.
  known.remember([])
  return bytes / rememberedMax
}
