import type { Readings, ServiceRecord } from './service.ts'

const timeloggedOf = (second: number, unit: Readings['timelogged']): number | string => {
  if (unit === 'milliseconds') return second * 1000 + 7
  if (unit === 'digits') return String(second)
  if (unit === 'rfc3339') return new Date(second * 1000).toISOString()
  return second
}

/** A record as the service shows it; `visibleAtSecond` is its own time, by default the record's. */
export const serviceRecord = (of: {
  uuid: string
  second: number
  visibleAtSecond?: number
  readable?: boolean
  timelogged?: Readings['timelogged']
}): ServiceRecord => {
  const readable = of.readable ?? true
  const value = {
    uuid: of.uuid,
    timelogged: readable ? timeloggedOf(of.second, of.timelogged ?? 'seconds') : 'yesterday',
    bounce_type: 'h',
    rcpt: 'jo@example.com',
  }
  return {
    uuid: of.uuid,
    second: of.second,
    visibleAtMs: (of.visibleAtSecond ?? of.second) * 1000,
    raw: { text: JSON.stringify(value), value },
    readable,
  }
}
