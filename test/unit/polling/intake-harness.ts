import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import type { FeedbackRecord, RawRecord } from '../../../shared/domain/feedback/record.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import type { Enqueue } from '../../../shared/domain/polling/enqueue.ts'
import {
  createIntake,
  type IntakeRules,
  type ReadPage,
  readPage,
} from '../../../shared/domain/polling/intake.ts'
import { type Candidate, createKnownRecords } from '../../../shared/domain/polling/known-records.ts'
import type { QuarantinedRecord } from '../../../shared/domain/polling/quarantine.ts'
import { createTestClock, endpointOf, second } from '../delivery/harness.ts'
import { serviceRecord } from './world/records.ts'

export const of = { sourceId: 'main', stream: 'bounces' } as const
export const rules: IntakeRules = { floorSecond: 0, memoryFromSecond: null }

export const recordOf = (uuid: string, at = second): FeedbackRecord => {
  const [record] = readPage([serviceRecord({ uuid, second: at }).raw]).records
  if (record === undefined) throw new Error(`${uuid} can not be read`)
  return record
}
export const pageOf = (...records: FeedbackRecord[]): ReadPage => ({ records, unreadable: [], anchors: [] })
export const unreadable = (text: string): RawRecord => ({ text, value: text })
/** A page of nothing that can be read. */
export const pageApart = (...texts: string[]): ReadPage => ({
  ...pageOf(),
  unreadable: texts.map(text => ({ raw: unreadable(text), reason: 'no_uuid' })),
})

const allRecorded: Enqueue = async events => ({ recorded: [...events], refused: [], failed: [] })

/** An intake of a stream in memory, with all that it hands on. `enqueue`: what becomes of that; default: all is recorded. */
export const createIntakeHarness = (over: { enqueue?: Enqueue } = {}) => {
  const { clock } = createTestClock()
  const quarantine = createMemoryQuarantine()
  const happenings: Happening[] = []
  const handedOn: { uuids: string[]; raws: string[]; endpoints: string[] }[] = []
  const kept: QuarantinedRecord[] = []
  const candidates: Candidate[] = []
  let askedForEndpoints = 0
  const known = createKnownRecords({ log: createMemoryEventLog(), ...of })
  const intake = createIntake(
    {
      clock,
      known: {
        ...known,
        among: page => {
          candidates.push(...page)
          return known.among(page)
        },
      },
      enqueue: async (events, endpoints) => {
        handedOn.push({
          uuids: events.map(({ recordId }) => recordId),
          raws: events.map(({ event }) => event.body.slice(event.body.indexOf(',"raw":') + 7, -2)),
          endpoints: endpoints.map(({ id }) => id),
        })
        return (over.enqueue ?? allRecorded)(events, endpoints)
      },
      quarantine: {
        ...quarantine,
        keep: record => {
          kept.push(record)
          return quarantine.keep(record)
        },
      },
      endpoints: async () => {
        askedForEndpoints += 1
        return [endpointOf({ id: 'first' }), endpointOf({ id: 'second' })]
      },
      reporter: { report: happening => void happenings.push(happening) },
    },
    of,
  )
  const uuids = () => handedOn.map(part => part.uuids)
  const askedOften = () => askedForEndpoints
  return { intake, known, quarantine, happenings, handedOn, uuids, kept, candidates, askedOften }
}
