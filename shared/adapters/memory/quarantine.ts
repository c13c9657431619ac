import {
  forgottenRecordReason,
  type Quarantine,
  type QuarantinedRecord,
} from '../../domain/polling/quarantine.ts'

type RecordKey = Pick<QuarantinedRecord, 'sourceId' | 'stream' | 'hash'>

const textOf = ({ sourceId, stream, hash }: RecordKey): string => `${sourceId}#${stream}#${hash}`

/** What only forgetting needs. */
export type ForgetfulQuarantine = Quarantine & {
  all(): QuarantinedRecord[]
  forget(key: RecordKey): void
}

/** Quarantined records in memory. */
export const createMemoryQuarantine = (): ForgetfulQuarantine => {
  const records = new Map<string, QuarantinedRecord>()
  return {
    keep: async record => {
      if (records.has(textOf(record))) return 'known'
      records.set(textOf(record), structuredClone(record))
      return 'new'
    },
    all: () => structuredClone([...records.values()]),
    forget: key => {
      const record = records.get(textOf(key))
      if (record !== undefined) {
        records.set(textOf(key), { ...record, reason: forgottenRecordReason, text: '' })
      }
    },
    read: async key => structuredClone(records.get(textOf(key)) ?? null),
  }
}
