import { expect, it } from 'vitest'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import type { Enqueue } from '../../../shared/domain/polling/enqueue.ts'
import { createIntake } from '../../../shared/domain/polling/intake.ts'
import { createKnownRecords } from '../../../shared/domain/polling/known-records.ts'
import { walkFromAnchor } from '../../../shared/domain/polling/main-walks.ts'
import { ago, createGate, createMain, pageOf } from './walk-harness.ts'

it('regression: a record that the queue refused was seen before, for a process too that did not see it', async () => {
  const { context, at, happenings } = await createMain({ answers: [] })
  const quarantine = createMemoryQuarantine()
  const log = createMemoryEventLog()
  const enqueue: Enqueue = async events => ({
    recorded: [],
    refused: events.map(event => ({ event, reason: 'too_large' })),
    failed: [],
  })
  const of = { sourceId: 'main', stream: 'bounces' } as const
  /** A process with an empty memory, which polls the list once from the anchor. */
  const poll = (from: typeof at) => {
    const known = createKnownRecords({ log, ...of })
    const deps = { known, enqueue, quarantine, endpoints: async () => [], clock: context.clock }
    const intake = createIntake({ ...deps, reporter: context.reporter }, of)
    const { gate } = createGate([pageOf([9])])
    return walkFromAnchor({ ...context, intake }, gate, {
      ...{ at: from, purpose: 'news', stopSecond: null, isOver: () => false },
    })
  }
  const first = await poll(at)
  expect(first.report.end).toEqual({ kind: 'complete' })
  expect(first.at.cursor).toMatchObject({ anchor: ago(5_000), newest: ago(9) })
  const second = await poll(first.at)
  expect(happenings).toHaveLength(1)
  expect(second.report.end).toEqual({ kind: 'complete' })
})
