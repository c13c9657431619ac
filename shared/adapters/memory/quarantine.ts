import type { Quarantine, QuarantinedRecord } from '../../domain/polling/quarantine.ts'

const textOf = ({
  sourceId,
  stream,
  hash,
}: Pick<QuarantinedRecord, 'sourceId' | 'stream' | 'hash'>): string => `${sourceId}#${stream}#${hash}`

/** Quarantined records in memory. */
export const createMemoryQuarantine = (): Quarantine => {
  const records = new Map<string, QuarantinedRecord>()
  return {
    keep: async record => {
      if (records.has(textOf(record))) return 'known'
      records.set(textOf(record), structuredClone(record))
      return 'new'
    },
    read: async key => structuredClone(records.get(textOf(key)) ?? null),
  }
}
