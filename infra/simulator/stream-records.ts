import type { StreamName } from '../../shared/domain/source.ts'
import { type AddedRecord, createAddedRecords, type RecordToAdd } from './added-records.ts'
import { createGeneratedView, type Moment } from './generated-view.ts'
import { createListView, type ListView, type Place } from './list-view.ts'
import type { ServiceOptions } from './options.ts'
import type { RecordGenerator } from './record-generator.ts'

/** A record as a test sees it. */
export type VisibleRecord = { uuid: string; second: number; visibleAtMs: number; hard: boolean }

/** Everything there is of one stream, generated and added. */
export type StreamRecords = {
  view(moment: Moment): ListView
  /** Where the record of a `last_id` stands; null where the service does not know the id (or not any more, or not yet). */
  placeOf(uuid: string, moment: Omit<Moment, 'includeSoft'>): Place | null
  describe(place: Place): VisibleRecord
  /** The record's JSON as the list shows it. */
  toJson(place: Place, timelogged: ServiceOptions['timelogged']): string
  add(records: readonly RecordToAdd[], nowMs: number): void
  forgetId(uuid: string): void
  expire(uuid: string): void
}

/** A second in the reading of the service (field notes, "timelogged"). */
export const formatTimelogged = (second: number, reading: ServiceOptions['timelogged']): number | string => {
  if (reading === 's') return second
  if (reading === 'ms') return second * 1000
  return reading === 'string' ? String(second) : new Date(second * 1000).toISOString()
}

export const createStreamRecords = (stream: StreamName, generator: RecordGenerator): StreamRecords => {
  const { schedule } = generator
  const added = createAddedRecords(stream)
  const addedBySequence: AddedRecord[] = []
  const forgotten = new Set<string>()
  let removed: readonly number[] = []

  const addedAt = (place: Place): AddedRecord => {
    const record = addedBySequence[place.number]
    if (record === undefined) throw new RangeError(`no added record ${place.number}`)
    return record
  }
  const describe = (place: Place): VisibleRecord => {
    if (place.kind === 'added') {
      const { uuid, second, visibleAtMs, hard } = addedAt(place)
      return { uuid, second, visibleAtMs, hard }
    }
    return {
      uuid: generator.uuidOf(place.number),
      second: place.second,
      visibleAtMs: schedule.visibleAtMs(place.number),
      hard: generator.templateOf(place.number).hard,
    }
  }
  const find = (uuid: string): Place | null => {
    const record = added.find(uuid)
    if (record !== null) return { second: record.second, kind: 'added', number: record.sequence }
    const index = generator.indexOf(uuid)
    if (index === null || removed.includes(index)) return null
    return { second: schedule.secondOf(index), kind: 'generated', number: index }
  }

  return {
    view: moment =>
      createListView(
        createGeneratedView(generator, removed, moment),
        added.visible(moment),
        schedule.secondOf,
      ),
    placeOf: (uuid, { nowMs, oldestSecond }) => {
      const place = forgotten.has(uuid) ? null : find(uuid)
      if (place === null || (oldestSecond !== null && place.second < oldestSecond)) return null
      return describe(place).visibleAtMs <= nowMs ? place : null
    },
    describe,
    toJson: (place, timelogged) => {
      const shown = formatTimelogged(place.second, timelogged)
      if (place.kind === 'added') {
        const { json, uuid, fields } = addedAt(place)
        return json ?? JSON.stringify({ uuid, timelogged: shown, ...fields })
      }
      const { rest } = generator.templateOf(place.number)
      const head = `{"uuid":${JSON.stringify(generator.uuidOf(place.number))},"timelogged":${JSON.stringify(shown)}`
      return rest === '}' ? `${head}}` : `${head},${rest}`
    },
    add: (records, nowMs) => {
      for (const { uuid } of records) {
        if (generator.indexOf(uuid) !== null) throw new Error(`the simulator has a record ${uuid} already`)
      }
      added.add(records, nowMs)
      for (const { uuid } of records) {
        const record = added.find(uuid)
        if (record !== null) addedBySequence[record.sequence] = record
      }
    },
    forgetId: uuid => {
      forgotten.add(uuid)
    },
    expire: uuid => {
      const place = find(uuid)
      if (place === null) throw new Error(`the simulator has no record ${uuid}`)
      if (place.kind === 'added') added.remove(uuid)
      else removed = [...removed, place.number].sort((left, right) => left - right)
    },
  }
}
