import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { Cursor, CursorKey } from '../../../shared/domain/polling/cursor.ts'
import type { Mistake } from '../functions/mistake.ts'

// Each undoes one rule of DESIGN.md, from outside: what the code works with is changed, not the code.

const withAnchor = (
  anchorOf: (cursor: Cursor, key: CursorKey, nowMs: number) => Cursor['anchor'],
): Mistake => ({
  poller: deps => ({
    ...deps,
    cursors: {
      ...deps.cursors,
      commit: (key, cursor, expected) => {
        const isMain = key.name === 'main' && cursor.floorSecond !== null
        const anchor = isMain ? anchorOf(cursor, key, deps.clock.now()) : cursor.anchor
        return deps.cursors.commit(key, { ...cursor, anchor }, expected)
      },
    },
  }),
})

/** The newest record that was seen, though its second may not be read whole, and older ones may come late. */
const anchorsAtTheLastSecond = withAnchor(({ newest, anchor }) => newest ?? anchor)

const keepsNoOverlap: Mistake = {
  poller: deps => ({
    ...deps,
    sources: {
      ...deps.sources,
      list: async () => (await deps.sources.list()).map(source => ({ ...source, overlapSeconds: 1 })),
    },
  }),
}

/** The service's clock alone says what is complete: a service that lags as a whole loses records then. */
const forgetsTheNewestInTheAnchorRule: Mistake = {
  poller: (deps, { world }) => ({
    ...deps,
    cursors: {
      ...deps.cursors,
      commit: (key, cursor, expected) => {
        const service = world.services.get(key.sourceId)
        const overlapSeconds =
          world.plan.sources.find(({ source }) => source.id === key.sourceId)?.source.overlapSeconds ?? 0
        const limit = (service?.nowMs() ?? 0) / 1_000 - overlapSeconds
        const isNewer = cursor.newest !== null && cursor.newest.second <= limit
        const anchor = key.name === 'main' && isNewer ? cursor.newest : cursor.anchor
        return deps.cursors.commit(key, { ...cursor, anchor }, expected)
      },
    },
  }),
}

const stopsAtAPageKnownInFull: Mistake = {
  poller: (deps, { world }) => ({
    ...deps,
    apiOf: source => {
      const api = deps.apiOf(source)
      return {
        listPage: async (request, signal) => {
          const page = await api.listPage(request, signal)
          const isKnown = page.records.every(raw => {
            const read = readRecord(raw)
            if (read.kind !== 'record') return false
            const { uuid, second } = read.record
            return world.ledger.loggedAt.has(
              eventId({ sourceId: source.id, stream: request.stream, uuid, second }),
            )
          })
          return isKnown && page.records.length > 0 ? { ...page, next: null } : page
        },
      }
    },
  }),
}

const commitsWithoutCondition: Mistake = {
  poller: (deps, { world }) => ({
    ...deps,
    cursors: {
      ...deps.cursors,
      commit: async (key, cursor) => {
        const found = await world.table.cursors.read(key)
        return deps.cursors.commit(key, cursor, found?.version ?? null)
      },
    },
  }),
}

const sendsBeforeTheFloor: Mistake = {
  poller: deps => ({
    ...deps,
    cursors: {
      ...deps.cursors,
      read: async key => {
        const found = await deps.cursors.read(key)
        if (found === null || found.cursor.floorSecond === null) return found
        return { ...found, cursor: { ...found.cursor, floorSecond: 0, anchor: null } }
      },
    },
  }),
}

export const cursorMistakes = {
  anchorsAtTheLastSecond,
  keepsNoOverlap,
  forgetsTheNewestInTheAnchorRule,
  stopsAtAPageKnownInFull,
  commitsWithoutCondition,
  sendsBeforeTheFloor,
} as const satisfies Record<string, Mistake>
