import type { StreamName } from '../../../shared/domain/source.ts'
import type { PlannedRecord } from '../plan/records.ts'
import { atMs, atSecond } from './scenario-time.ts'

type Written = Partial<PlannedRecord> & { shownAtMinute?: number }

const record = (uuid: string, minute: number, of: Written = {}): PlannedRecord => {
  const { shownAtMinute, ...others } = of
  return {
    uuid,
    second: atSecond(minute),
    visibleAtMs: shownAtMinute === undefined ? atSecond(minute) * 1_000 : atMs(shownAtMinute),
    isReadable: true,
    isRefused: false,
    bounceType: 'h',
    recipient: 'jo@example.com',
    ...others,
  }
}

/** What the service shows, by the minute of its time. What is before the start is not sent: the source starts at latest. */
export const records: Record<StreamName, PlannedRecord[]> = {
  bounces: [
    record('history-1', -70),
    record('history-2', -50),
    record('history-3', -50),
    // More of one second than a page has.
    record('tie-1', 1.5),
    record('tie-2', 1.5, { bounceType: 's' }),
    record('tie-3', 1.5, { recipient: 'sam@example.com' }),
    record('tie-4', 1.5, { bounceType: 's' }),
    record('tie-5', 1.5, { bounceType: 'x' }),
    record('unreadable', 1.7, { isReadable: false }),
    record('refused', 1.8, { isRefused: true, bounceType: 's' }),
    // Within the overlap, and long after it: the sweep's.
    record('late', 1.9, { shownAtMinute: 2.5 }),
    record('later', 2, { shownAtMinute: 9 }),
    record('later-2', 2.5),
    record('newer', 5),
    record('purged', 44.5),
    record('dead', 62, { bounceType: 'x' }),
    record('after-loss', 66.5),
  ],
  complaints: [
    record('complaint-0', -50),
    record('complaint-1', 1.6),
    record('complaint-2', 1.6),
    record('complaint-3', 2.6),
    record('complaint-4', 44.6),
    record('complaint-5', 66.6),
  ],
}
