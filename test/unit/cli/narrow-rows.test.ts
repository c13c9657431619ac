import { expect, test } from 'vitest'
import { deadLetterListing } from '../../../infra/cli/dlq/list.ts'
import { eventRows } from '../../../infra/cli/events/event-rows.ts'
import { plainLook } from '../../../infra/cli/output/look.ts'
import { createRowWriter } from '../../../infra/cli/output/row-writer.ts'
import type { EventSummary } from '../../../shared/domain/polling/event-log.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'
import type { SourceStore } from '../../../shared/domain/source-store.ts'
import { deliveryOf, loggedEvent } from '../../integration/cli/filled-table.ts'

const second = Date.UTC(2026, 10, 20, 23) / 1_000
const nowMs = (second + 3_600) * 1_000
const narrow = { ...plainLook, columns: 80 }
const types = ['email.bounce.hard', 'email.bounce.expired', 'email.complaint'] as const
const event = loggedEvent({ second, uuid: 'a', sourceId: 'main' })
const eventOf = (type: EventSummary['type']): EventSummary => ({ ...event, type, endpointIds: ['crm'] })

const storeOf = (ids: readonly string[]): SourceStore => ({
  list: async () => ids.map(sourceOf),
  read: async () => null,
  put: async () => undefined,
  remove: async () => undefined,
})
const sourceOf = (id: string): Source => ({
  ...sourceDefaults,
  ...{ id, baseUrl: 'https://service.example', tokenSecret: `token-${id}` },
})

test.each([[['main']], [['main', 'other']]])(
  'on 80 columns no time, id or type of an event is broken, with the sources %j',
  async ids => {
    const rows = await eventRows({ sources: storeOf(ids) }, { look: narrow, source: undefined })
    const { head, row } = createRowWriter(narrow, rows.columns)
    expect(head.length).toBeLessThanOrEqual(80)
    for (const type of types) {
      const line = row(rows.row(eventOf(type)))
      expect(line.split('\n')).toHaveLength(1)
      expect(line.length).toBeLessThanOrEqual(80)
      expect(line.split(/ {2,}/)).toEqual([
        '11-20 23:00:00Z',
        event.id,
        type.replace('email.', ''),
        ...ids.slice(1).map(() => 'main'),
        'crm',
      ])
    }
  },
)

test('where there is room, and in what is piped, types and times of events are whole', async () => {
  for (const columns of [null, 120]) {
    const look = { ...plainLook, columns }
    const rows = await eventRows({ sources: storeOf(['main']) }, { look, source: undefined })
    const line = createRowWriter(look, rows.columns).row(rows.row(eventOf('email.bounce.expired')))
    expect(line.split(/ {2,}/)).toEqual(['2026-11-20 23:00:00Z', event.id, 'email.bounce.expired', 'crm'])
  }
})

test('on 80 columns a dead letter has its type in a row that is not broken', () => {
  const delivery = deliveryOf(event, { state: 'dead', reason: 'http_500', dueMs: 0, updatedAtMs: nowMs })
  for (const type of types) {
    const listing = deadLetterListing(['crm'], { look: narrow, nowMs })
    const line = createRowWriter(narrow, listing.columns).row(listing.row({ delivery, type }))
    const [, last = ''] = /\.(\w+)$/.exec(type) ?? []
    expect(line.split(/ {2,}|\n/)).toEqual([event.id, 'crm', last, 'http_500', '0 ms ago'])
  }
})
