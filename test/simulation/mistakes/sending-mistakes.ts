import type { Mistake } from '../functions/mistake.ts'

import { allSent, heldBack } from './messages.ts'

// Each undoes one rule of DESIGN.md, from outside: what the code works with is changed, not the code.

/** Commits what is not sent yet. */
const commitsBeforeItSends: Mistake = {
  poller: deps => {
    const { queue, letGo } = heldBack(deps.queue)
    return {
      ...deps,
      queue,
      log: { ...deps.log, record: async events => new Set(events.map(({ id }) => id)) },
      cursors: {
        ...deps.cursors,
        commit: async (key, cursor, expected) => {
          const result = await deps.cursors.commit(key, cursor, expected)
          await letGo()
          return result
        },
      },
    }
  },
}

const recordsBeforeItSends: Mistake = {
  poller: deps => {
    const { queue, letGo } = heldBack(deps.queue)
    return {
      ...deps,
      queue,
      log: {
        ...deps.log,
        record: async events => {
          const recorded = await deps.log.record(events)
          await letGo()
          return recorded
        },
      },
    }
  },
}

const takesWhatFailedForSent: Mistake = {
  poller: deps => ({
    ...deps,
    queue: {
      send: async entries => {
        await deps.queue.send(entries)
        return allSent(entries)
      },
    },
  }),
}

const takesWhatFailedForRecorded: Mistake = {
  poller: deps => ({
    ...deps,
    log: {
      ...deps.log,
      record: async events => {
        await deps.log.record(events).catch(() => undefined)
        return new Set(events.map(({ id }) => id))
      },
    },
  }),
}

const knowsNothingOfTheLog: Mistake = {
  poller: deps => ({
    ...deps,
    log: {
      ...deps.log,
      idsInRange: async query => {
        await deps.log.idsInRange(query)
        return []
      },
    },
  }),
}

const dropsWhatDisabledEndpointsWant: Mistake = {
  poller: deps => ({
    ...deps,
    endpoints: async () => (await deps.endpoints()).filter(({ state }) => state === 'active'),
  }),
}

const dropsWhatItCannotRead: Mistake = {
  poller: deps => ({ ...deps, quarantine: { ...deps.quarantine, keep: async () => 'known' } }),
}

const marksNothingForReconcile: Mistake = {
  poller: deps => ({ ...deps, marks: { ...deps.marks, lower: async () => undefined } }),
}

export const sendingMistakes = {
  commitsBeforeItSends,
  recordsBeforeItSends,
  takesWhatFailedForSent,
  takesWhatFailedForRecorded,
  knowsNothingOfTheLog,
  dropsWhatDisabledEndpointsWant,
  dropsWhatItCannotRead,
  marksNothingForReconcile,
} as const satisfies Record<string, Mistake>
