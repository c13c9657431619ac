import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import type { Mistake } from '../functions/mistake.ts'

import { changing } from './messages.ts'

// Each undoes one rule of DESIGN.md, from outside: what the code works with is changed, not the code.

const takesEntriesAwayForGood: Mistake = {
  releaser: deps => ({
    ...deps,
    store: { ...deps.store, moveDue: entry => deps.store.moveDue(entry, Number.MAX_SAFE_INTEGER) },
  }),
}

/** Two runs, and the next one, send the same again. */
const releasesWithoutALease: Mistake = {
  releaser: deps => ({
    ...deps,
    store: { ...deps.store, moveDue: entry => deps.store.read(entry) },
  }),
}

/** Sends what is held only when it sees an endpoint become ready: who misses the moment misses all. */
const releasesOnTheEdge: Mistake = {
  releaser: deps => {
    const ready = new Map<string, boolean>()
    return {
      ...deps,
      store: {
        ...deps.store,
        due: async query => {
          if (query.state !== 'held') return deps.store.due(query)
          const was = ready.get(query.endpointId) ?? true
          const endpoint = await deps.endpoints.read(query.endpointId)
          const is = endpoint?.state === 'active' && endpoint.health.open === null
          ready.set(query.endpointId, is)
          return is && !was ? deps.store.due(query) : []
        },
      },
    }
  },
}

const sendsTheSameAttemptAgain: Mistake = {
  releaser: deps => ({
    ...deps,
    queue: changing(deps.queue, message => ({ ...message, attempt: Math.max(1, message.attempt - 1) })),
  }),
}

const reconcilesNothing: Mistake = {
  releaser: deps => ({
    ...deps,
    marks: { ...deps.marks, list: async () => [] },
  }),
}

const changesWhatItReleases: Mistake = {
  releaser: deps => ({
    ...deps,
    log: {
      ...deps.log,
      read: async key => {
        const event = await deps.log.read(key)
        if (event === null || event.body === null) return event
        return {
          ...event,
          body: JSON.stringify({ ...JSON.parse(event.body), again: true }),
        } satisfies LoggedEvent
      },
    },
  }),
}

export const releaserMistakes = {
  takesEntriesAwayForGood,
  releasesWithoutALease,
  releasesOnTheEdge,
  sendsTheSameAttemptAgain,
  reconcilesNothing,
  changesWhatItReleases,
} as const satisfies Record<string, Mistake>
