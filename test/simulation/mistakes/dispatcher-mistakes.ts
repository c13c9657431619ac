import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { queueDelayMsMax } from '../../../shared/domain/delivery/delivery-queue.ts'
import { nextAttempt, rank } from '../../../shared/domain/delivery/position.ts'
import type { Mistake } from '../functions/mistake.ts'
import { nameOfDelivery } from '../twins/table.ts'

import { allSent, changing, messageIn } from './messages.ts'

// Each undoes one rule of DESIGN.md, from outside: what the code works with is changed, not the code.

/** A message whose attempt is not the next one is dropped: where the one before was lost, all are. */
const takesTheNextAttemptOnly: Mistake = {
  dispatcher: (deps, { process }) => ({
    ...deps,
    store: {
      ...deps.store,
      readMany: async keys =>
        (await deps.store.readMany(keys)).map(delivery => {
          const body = process.inHand.get(nameOfDelivery(delivery))?.body ?? null
          const message = body === null ? null : messageIn({ body })
          const isNext = message === null || rank(message) === rank(nextAttempt(delivery.position))
          return isNext ? delivery : { ...delivery, position: message }
        }),
    },
  }),
}

const postsWhatWasDelivered: Mistake = {
  dispatcher: deps => ({
    ...deps,
    store: {
      ...deps.store,
      readMany: async keys => {
        await deps.store.readMany(keys)
        return []
      },
    },
  }),
}

/** The next attempt's message is sent first: where the write fails then, both are tried. */
const sendsBeforeItWrites: Mistake = {
  dispatcher: (deps, { process }) => {
    const sent = new Set<string>()
    return {
      ...deps,
      store: {
        ...deps.store,
        write: async (delivery, condition) => {
          const { retryAtMs, state } = delivery
          const delayMs = (retryAtMs ?? 0) - deps.clock.now()
          const body = process.inHand.get(nameOfDelivery(delivery))?.body ?? null
          const message = body === null ? null : messageIn({ body })
          if (state === 'waiting' && delayMs >= 0 && delayMs <= queueDelayMsMax && message !== null) {
            const next = nextAttempt(message)
            const entry = {
              lane: 'fast',
              group: null,
              body: encodeMessage({ ...message, ...next }),
              faults: null,
            } as const
            sent.add(`${nameOfDelivery(delivery)} ${rank(next)}`)
            await deps.queue.send([{ ...entry, delayMs }])
          }
          return deps.store.write(delivery, condition)
        },
      },
      queue: {
        send: async entries => {
          const [entry] = entries
          const message = entry === undefined ? null : messageIn(entry)
          const isSent = message !== null && sent.delete(`${nameOfDelivery(message)} ${rank(message)}`)
          return isSent ? allSent(entries) : deps.queue.send(entries)
        },
      },
    }
  },
}

const undoesWhatOthersRecorded: Mistake = {
  dispatcher: deps => ({
    ...deps,
    store: {
      ...deps.store,
      write: async (delivery, condition) => {
        if (condition.kind !== 'unsettled_before') return deps.store.write(delivery, condition)
        const found = await deps.store.read(delivery)
        if (found === null) return deps.store.write(delivery, condition)
        return deps.store.write(delivery, { kind: 'unchanged', writeId: found.writeId })
      },
    },
  }),
}

const forgetsASuccessItCouldNotRecord: Mistake = {
  dispatcher: deps => ({
    ...deps,
    queue: changing(deps.queue, message => ({ ...message, deliveredBy: null })),
  }),
}

const givesUpEarly: Mistake = {
  dispatcher: deps => ({ ...deps, schedule: deps.schedule.slice(0, 2) }),
}

const withWritten = (change: (delivery: Delivery) => Delivery): Mistake => ({
  dispatcher: deps => ({
    ...deps,
    store: {
      ...deps.store,
      write: (delivery, condition) => deps.store.write(change(delivery), condition),
    },
  }),
})

/** Without an entry in the index the only trace of it is its message. */
const waitsWithoutADueTime = withWritten(delivery =>
  delivery.state === 'waiting' ? { ...delivery, dueMs: null } : delivery,
)
const holdsWithoutADueTime = withWritten(delivery =>
  delivery.state === 'held' ? { ...delivery, dueMs: null } : delivery,
)

const takesAnyAnswerForASuccess: Mistake = {
  dispatcher: deps => ({
    ...deps,
    sender: {
      send: async request => {
        const result = await deps.sender.send(request)
        return result.kind === 'failed'
          ? { kind: 'answered', status: 200, tookMs: result.tookMs, retryAtMs: null, answer: '' }
          : result
      },
    },
  }),
}

export const dispatcherMistakes = {
  takesTheNextAttemptOnly,
  postsWhatWasDelivered,
  sendsBeforeItWrites,
  undoesWhatOthersRecorded,
  forgetsASuccessItCouldNotRecord,
  givesUpEarly,
  waitsWithoutADueTime,
  holdsWithoutADueTime,
  takesAnyAnswerForASuccess,
} as const satisfies Record<string, Mistake>
