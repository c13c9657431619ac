import type { Readings, ServiceRecord } from '../../unit/polling/world/service.ts'

const timeloggedOf = (second: number, unit: Readings['timelogged']): number | string => {
  if (unit === 'milliseconds') return second * 1_000 + 7
  if (unit === 'digits') return String(second)
  return unit === 'rfc3339' ? new Date(second * 1_000).toISOString() : second
}

export type PlannedRecord = {
  uuid: string
  second: number
  visibleAtMs: number
  isReadable: boolean
  /** The queue takes no message of it, as long as it refuses any. */
  isRefused: boolean
  bounceType: string
  recipient: string
}

/** A record as the service shows it. */
export const serviceRecordOf = (of: PlannedRecord, unit: Readings['timelogged']): ServiceRecord => {
  const value = {
    uuid: of.uuid,
    timelogged: of.isReadable ? timeloggedOf(of.second, unit) : 'yesterday',
    bounce_type: of.bounceType,
    rcpt: of.recipient,
  }
  const raw = { text: JSON.stringify(value), value }
  return { uuid: of.uuid, second: of.second, visibleAtMs: of.visibleAtMs, raw, readable: of.isReadable }
}
