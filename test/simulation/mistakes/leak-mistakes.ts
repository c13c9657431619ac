import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { Mistake } from '../functions/mistake.ts'

// Each undoes one rule of DESIGN.md, from outside: what the code works with is changed, not the code.

const logsWhatItSends: Mistake = {
  dispatcher: deps => ({
    ...deps,
    sender: {
      send: request => {
        deps.reporter.report({ kind: 'unreadable_message', reason: request.body })
        return deps.sender.send(request)
      },
    },
  }),
}

const logsTheSecretItReads: Mistake = {
  releaser: deps => ({
    ...deps,
    credentials: {
      ...deps.credentials,
      credentialsOf: async (endpoint, nowMs) => {
        const found = await deps.credentials.credentialsOf(endpoint, nowMs)
        const reason = found.kind === 'credentials' ? (found.authorization ?? '') : ''
        deps.reporter.report({ kind: 'operator_told', endpoint: endpoint.id, reason })
        return found
      },
    },
  }),
}

const throwsWhatItReads: Mistake = {
  poller: deps => ({
    ...deps,
    sources: {
      ...deps.sources,
      list: async () => {
        const sources = await deps.sources.list()
        throw new BridgeError({ code: 'sources', message: 'jo@example.com', hint: `${sources.length}` })
      },
    },
  }),
}

const keepsWhatEndpointsEcho: Mistake = {
  dispatcher: deps => {
    const echoes = new Map<string, string>()
    return {
      ...deps,
      sender: {
        send: async request => {
          const result = await deps.sender.send(request)
          if (result.kind === 'answered') echoes.set(request.endpoint.id, result.answer)
          return result
        },
      },
      store: {
        ...deps.store,
        write: (delivery, condition) => {
          const answer = echoes.get(delivery.endpointId) ?? ''
          const attempts = delivery.attempts.map(attempt => ({ ...attempt, answer }))
          return deps.store.write({ ...delivery, attempts }, condition)
        },
      },
    }
  },
}

export const leakMistakes = {
  logsWhatItSends,
  logsTheSecretItReads,
  throwsWhatItReads,
  keepsWhatEndpointsEcho,
} as const satisfies Record<string, Mistake>
