import { expect, test } from 'vitest'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import { createRetryQuarantined } from '../../../shared/domain/polling/retry-quarantined.ts'
import { createStream, nowSecond, of } from './start-harness.ts'

/** What becomes of the others is in test/unit/cli/retry-quarantined.test.ts. */
test('a quarantined record of a stream that was never polled stays, and is not sent', async () => {
  const { context, log } = createStream()
  const sent: unknown[] = []
  const queue = {
    send: async (entries: readonly unknown[]) => {
      sent.push(...entries)
      return []
    },
  }
  const { cursors, clock, reporter } = context
  const marks = createMemoryReconcileMarks()
  const retry = createRetryQuarantined(
    { cursors, log, marks, queue, endpoints: async () => [], reporter, clock },
    of,
  )
  const record = { text: JSON.stringify({ uuid: 'a', timelogged: nowSecond, bounce_type: 'h' }) }
  expect(await retry(record)).toEqual({ kind: 'not_started' })
  expect([sent, log.all()]).toEqual([[], []])
})
