import { decodeMessage, encodeMessage } from '../../../../shared/domain/delivery/delivery-message.ts'
import { queueDelayMsMax } from '../../../../shared/domain/delivery/delivery-queue.ts'
import { nextAttempt, rank } from '../../../../shared/domain/delivery/position.ts'
import type { Mistake } from './actors.ts'
import type { Message } from './world.ts'

// Each undoes one rule of the protocol, from outside: what the code works with is changed, not the code.

const messageIn = ({ body }: Pick<Message, 'body'>) => {
  const decoded = decodeMessage(body)
  if (decoded.kind !== 'message') throw new Error('this is no message')
  return decoded.message
}

export const sendsBeforeItWrites: Mistake = {
  dispatcher: (deps, { message, process }) => {
    let sent = false
    return {
      ...deps,
      store: {
        ...deps.store,
        write: async (delivery, condition) => {
          const delayMs = (delivery.retryAtMs ?? 0) - process.nowMs
          if (delivery.state === 'waiting' && delayMs <= queueDelayMsMax) {
            sent = true
            const next = messageIn(message)
            const body = encodeMessage({ ...next, ...nextAttempt(next) })
            await deps.queue.send([{ lane: message.lane, group: null, body, delayMs, faults: null }])
          }
          return deps.store.write(delivery, condition)
        },
      },
      queue: {
        send: async entries => {
          const [entry] = entries
          const isNext = entry !== undefined && messageIn(entry).attempt > messageIn(message).attempt
          return sent && isNext ? [{ kind: 'sent' }] : deps.queue.send(entries)
        },
      },
    }
  },
}

export const forgetsWhatWasRecorded: Mistake = {
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

export const takesTheNextAttemptOnly: Mistake = {
  dispatcher: (deps, { message }) => ({
    ...deps,
    store: {
      ...deps.store,
      readMany: async keys => {
        const position = messageIn(message)
        return (await deps.store.readMany(keys)).map(delivery =>
          rank(position) === rank(nextAttempt(delivery.position)) ? delivery : { ...delivery, position },
        )
      },
    },
  }),
}

export const overwritesLaterAttempts: Mistake = {
  dispatcher: deps => ({
    ...deps,
    store: {
      ...deps.store,
      write: (delivery, condition) =>
        deps.store.write(
          delivery,
          condition.kind === 'unsettled_before' ? { ...condition, rank: Number.MAX_SAFE_INTEGER } : condition,
        ),
    },
  }),
}

export const forgetsASuccessItCouldNotRecord: Mistake = {
  dispatcher: deps => ({
    ...deps,
    queue: {
      send: entries =>
        deps.queue.send(
          entries.map(entry => ({
            ...entry,
            body: encodeMessage({ ...messageIn(entry), deliveredBy: null }),
          })),
        ),
    },
  }),
}

export const takesEntriesAwayForGood: Mistake = {
  releaser: deps => ({
    ...deps,
    store: {
      ...deps.store,
      moveDue: entry => deps.store.moveDue(entry, Number.POSITIVE_INFINITY),
    },
  }),
}

export const releasesWhatThisProcessSettled: Mistake = {
  releaser: deps => ({
    ...deps,
    store: {
      ...deps.store,
      readMany: async keys =>
        (await deps.store.readMany(keys)).map(delivery => ({ ...delivery, updatedAtMs: 0 })),
    },
  }),
}

export const trustsQueuesThatDie: Mistake = {
  releaser: deps => ({ ...deps, queuesOutlive: true }),
}
