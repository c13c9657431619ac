import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import type { Mistake } from '../functions/mistake.ts'
import { releaserMistakes } from '../mistakes/releaser-mistakes.ts'

/** Notes that the operator was told before he is: who dies between the two tells nobody. */
const notesBeforeItTells: Mistake = {
  releaser: deps => ({
    ...deps,
    operator: {
      tellDisabled: async endpoints => {
        for (const endpoint of endpoints) await deps.endpoints.setTold(endpoint)
        return deps.operator.tellDisabled(endpoints)
      },
    },
  }),
}

/** Commits the start, and then logs what is before it: who dies between the two has it sent. */
const startsBeforeItLogsWhatWasSeen: Mistake = {
  poller: deps => {
    let unlogged: LoggedEvent[] = []
    return {
      ...deps,
      log: {
        ...deps.log,
        record: async events => {
          if (events.some(({ endpointIds }) => endpointIds.length > 0)) return deps.log.record(events)
          unlogged.push(...events)
          return new Set(events.map(({ id }) => id))
        },
      },
      cursors: {
        ...deps.cursors,
        commit: async (key, cursor, expected) => {
          const result = await deps.cursors.commit(key, cursor, expected)
          const events = unlogged
          if (cursor.floorSecond === null || events.length === 0) return result
          unlogged = []
          await deps.log.record(events)
          return result
        },
      },
    }
  },
}

/** Mistakes that no rule sees as long as no process dies, with the process whose death shows them. */
export const mistakesOfCrashes: Record<string, { mistake: Mistake; process: string }> = {
  takesEntriesAwayForGood: { mistake: releaserMistakes.takesEntriesAwayForGood, process: 'releaser' },
  startsBeforeItLogsWhatWasSeen: { mistake: startsBeforeItLogsWhatWasSeen, process: 'poller' },
  notesBeforeItTells: { mistake: notesBeforeItTells, process: 'releaser' },
}
