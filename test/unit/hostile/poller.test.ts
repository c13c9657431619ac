import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMask } from '../../../shared/adapters/feedback-api/mask.ts'
import { type ListPage, readPage } from '../../../shared/adapters/feedback-api/page.ts'
import { eventHashBits, eventId } from '../../../shared/domain/feedback/event-id.ts'
import { rawHash, readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { RawRecord } from '../../../shared/domain/feedback/record.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import { answerOf, where } from '../feedback-api/answers.ts'
import { createWorld, sourceId, type World } from '../polling/world/world.ts'
import { createHarness } from '../telemetry/harness.ts'
import { inherited } from './hostile-json.ts'
import { pageBytes } from './hostile-pages.ts'
import { markers, markersIn } from './markers.ts'

const mask = createMask([markers.token])
/** A run, and the next one, which begins beside it. */
const worldSeconds = 70
/** 80 % of 60 a minute, of which two may begin within the world's time. */
const requestsMax = 2 * 48

const pageOf = (bytes: Buffer): ListPage | FeedbackApiError => {
  try {
    return readPage(answerOf(200, new TextDecoder().decode(bytes)), where, mask)
  } catch (error) {
    if (error instanceof FeedbackApiError) return error
    throw error
  }
}

/** A world whose service answers with this page, and never with another one. */
const polled = async (page: ListPage | FeedbackApiError): Promise<World> => {
  const world = createWorld()
  world.service.intervene = () => page
  await world.pass(worldSeconds)
  await world.stop()
  return world
}

/** What became of a record; the texts of the log are compared letter by letter. */
const outcomeOf = async (world: World, stream: StreamName, raw: RawRecord): Promise<string> => {
  const read = readRecord(raw)
  const kept = await world.ledger.stores.quarantine.read({ sourceId, stream, hash: rawHash(raw) })
  if (kept !== null) return kept.text === raw.text ? `quarantined: ${kept.reason}` : 'quarantined as another'
  if (read.kind === 'unreadable') return `lost: ${read.reason}`
  const { uuid, second } = read.record
  const bits = eventHashBits(eventId({ sourceId, stream, uuid, second }))
  const logged = [...world.ledger.logged.values()].filter(({ id }) => eventHashBits(id) === bits)
  const [event] = logged
  if (event === undefined || logged.length > 1) return `lost: ${logged.length} events`
  const sent = world.ledger.sent.get(event.id)?.get('everything')
  return `sent ${sent} times${event.body.endsWith(`,"raw":${raw.text}}}`) ? '' : ', as it was at its first time'}`
}

const wantedOf = (page: ListPage, raw: RawRecord): string => {
  const read = readRecord(raw)
  if (read.kind === 'unreadable') return `quarantined: ${read.reason}`
  const first = page.records.find(other => {
    const found = readRecord(other)
    return found.kind === 'record' && found.record.uuid === read.record.uuid
  })
  return first?.text === raw.text ? 'sent 1 times' : 'sent 1 times, as it was at its first time'
}

describe('a poller whose service answers with anything', () => {
  test('makes of each record an event or keeps it with its reason; of what is no page, nothing moves', async () => {
    const before = inherited()
    await fc.assert(
      fc.asyncProperty(pageBytes, async bytes => {
        const page = pageOf(bytes)
        const world = await polled(page)
        const { ledger, service, happenings } = world
        expect(ledger.violations).toEqual([])
        expect(ledger.duplicates).toBe(0)
        expect(service.requests.length).toBeLessThanOrEqual(requestsMax)
        expect(service.requests.length).toBeGreaterThan(1)
        expect(happenings.filter(({ kind }) => kind === 'poll_fault')).toEqual([])
        if (page instanceof FeedbackApiError) {
          expect([ledger.logged.size, ledger.quarantined.length]).toEqual([0, 0])
          for (const stream of streamNames) {
            expect(await world.cursor(stream)).toMatchObject({ anchor: null, newest: null, place: null })
          }
          expect(happenings).toContainEqual(
            expect.objectContaining({ kind: 'poll', outcome: 'failed', reason: page.code }),
          )
        } else {
          for (const stream of streamNames) {
            for (const raw of page.records) {
              expect([raw.text.slice(0, 300), await outcomeOf(world, stream, raw)]).toEqual([
                raw.text.slice(0, 300),
                wantedOf(page, raw),
              ])
            }
          }
        }
        const telemetry = createHarness()
        await telemetry.tell(happenings)
        expect(markersIn(telemetry.written.join('\n'))).toEqual([])
      }),
      { numRuns: 250 },
    )
    expect(inherited()).toEqual(before)
  }, 60_000)

  test('goes on with what the service has, once it answers as it should', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pageBytes, { minLength: 1, maxLength: 4 }), async pages => {
        const world = createWorld()
        world.put('bounces', { uuid: 'before', at: -600 }, { uuid: 'later', at: 90 })
        let asked = 0
        world.service.intervene = () => {
          const bytes = pages[asked % (pages.length + 1)]
          asked += 1
          return bytes === undefined ? null : pageOf(bytes)
        }
        await world.pass(30)
        world.service.intervene = () => null
        await world.pass(600)
        await world.stop()
        expect(world.ledger.violations).toEqual([])
        for (const uuid of ['before', 'later']) expect(world.sent('bounces', uuid)).toBe(1)
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})
