import type { StreamName } from '../../shared/domain/source.ts'
import type { Moment } from './generated-view.ts'
import { firstIndex } from './search.ts'

/** A record that a test, or a file whose times are kept, puts into a list. */
export type RecordToAdd = {
  uuid: string
  /** `timelogged`: Unix seconds. Its place in the list; the text of the field too, unless `fields` or `json` say otherwise. */
  second: number
  /** Unix milliseconds; without it, visible at once. */
  visibleAtMs?: number
  /** All fields but `uuid` and `timelogged`; where these are among them, they are shown as given here. */
  fields?: Readonly<Record<string, unknown>>
  /** The text to show in place of everything else, whatever it is. */
  json?: string
}

export type AddedRecord = RecordToAdd & {
  visibleAtMs: number
  fields: Readonly<Record<string, unknown>>
  hard: boolean
  /** Counts the records as they are added: their order within a second. */
  sequence: number
}

const sampleFields = (stream: StreamName, sequence: number): Record<string, unknown> =>
  stream === 'bounces'
    ? {
        bounce_type: 'h',
        rcpt: `recipient-${sequence}@example.com`,
        orig: 'bounces@mail.example.org',
        dsndiag: 'smtp; 550 5.1.1 no such mailbox',
        bouncecat: 'bad-mailbox',
        header_from: 'News <news@example.org>',
      }
    : {
        header_list_unsubscribe: `<https://example.org/unsubscribe/${sequence}>`,
        orig: 'bounces@mail.example.org',
        rcpt: `recipient-${sequence}@example.com`,
        header_subject: 'News of the week',
        header_return_path: '<bounces@mail.example.org>',
        header_from: 'News <news@example.org>',
      }

const bounceTypeOf = ({ bounce_type: bounceType }: Readonly<Record<string, unknown>>): unknown =>
  bounceType ?? 'h'

const bounceTypeIn = (json: string): unknown => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && 'bounce_type' in value ? value.bounce_type : 'h'
  } catch {
    return 'h'
  }
}

const inListOrder = (left: AddedRecord, right: AddedRecord): number =>
  left.second - right.second || left.sequence - right.sequence

/** The records of one stream that were put in by hand, in list order. */
export type AddedRecords = {
  add(records: readonly RecordToAdd[], nowMs: number): void
  find(uuid: string): AddedRecord | null
  remove(uuid: string): void
  /** The same list until something shows that did not before, or is added or removed. */
  visible(moment: Moment): readonly AddedRecord[]
}

/** What a list shows, and for how long: nothing becomes visible or invisible in [fromMs, untilMs). */
type Shown = { start: number; fromMs: number; untilMs: number; records: readonly AddedRecord[] }

export const createAddedRecords = (stream: StreamName): AddedRecords => {
  const byUuid = new Map<string, AddedRecord>()
  let inOrder: AddedRecord[] = []
  let sequence = 0
  // A list of many is asked for page by page: it is not to be gone through for each.
  const lastShown = new Map<boolean, Shown>()

  return {
    add: (records, nowMs) => {
      lastShown.clear()
      for (const record of records) {
        if (byUuid.has(record.uuid)) throw new Error(`the simulator has a record ${record.uuid} already`)
        const fields = record.fields ?? sampleFields(stream, sequence)
        const bounceType = record.json === undefined ? bounceTypeOf(fields) : bounceTypeIn(record.json)
        const hard = stream === 'complaints' || bounceType === 'h'
        const added = { ...record, visibleAtMs: record.visibleAtMs ?? nowMs, fields, hard, sequence }
        byUuid.set(record.uuid, added)
        inOrder.push(added)
        sequence += 1
      }
      inOrder.sort(inListOrder)
    },
    find: uuid => byUuid.get(uuid) ?? null,
    remove: uuid => {
      lastShown.clear()
      if (byUuid.delete(uuid)) inOrder = inOrder.filter(record => record.uuid !== uuid)
    },
    visible: ({ nowMs, includeSoft, oldestSecond }) => {
      const isOldEnough = (at: number): boolean =>
        (inOrder[at]?.second ?? Number.POSITIVE_INFINITY) >= (oldestSecond ?? Number.NEGATIVE_INFINITY)
      const start = firstIndex(0, inOrder.length, isOldEnough)
      const last = lastShown.get(includeSoft)
      if (last?.start === start && nowMs >= last.fromMs && nowMs < last.untilMs) return last.records
      const shown = show(inOrder.slice(start), { nowMs, includeSoft })
      lastShown.set(includeSoft, { ...shown, start })
      return shown.records
    },
  }
}

const show = (
  inOrder: readonly AddedRecord[],
  { nowMs, includeSoft }: Pick<Moment, 'nowMs' | 'includeSoft'>,
): Omit<Shown, 'start'> => {
  const listed = includeSoft ? inOrder : inOrder.filter(({ hard }) => hard)
  const records: AddedRecord[] = []
  let fromMs = Number.NEGATIVE_INFINITY
  let untilMs = Number.POSITIVE_INFINITY
  for (const record of listed) {
    const { visibleAtMs } = record
    if (visibleAtMs <= nowMs) {
      fromMs = Math.max(fromMs, visibleAtMs)
      records.push(record)
    } else {
      untilMs = Math.min(untilMs, visibleAtMs)
    }
  }
  return { fromMs, untilMs, records }
}
