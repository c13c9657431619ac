import { type Endpoint, endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Dice } from '../../unit/polling/world/dice.ts'
import { type Moods, moodKinds } from './moods.ts'
import { startMs } from './start.ts'

export type PlannedEndpoint = { endpoint: Endpoint; moods: Moods }

export const drawEndpoint = (at: number, dice: Dice, { chaosMs }: { chaosMs: number }): PlannedEndpoint => {
  const id = `endpoint-${at}`
  const types =
    at === 0 ? ['*'] : dice.pick([['*'], ['email.bounce.*'], ['email.bounce.hard'], ['email.complaint']])
  const endpoint: Endpoint = {
    ...endpointDefaults,
    id,
    url: `https://${id}.example/`,
    types,
    keys: [{ version: 1, secret: dice.chance(0.3) ? `signing-${id}-1` : null, signsUntilMs: null }],
    limits: {
      maxPerSecond: dice.chance(0.15) ? dice.int(1, 20) : null,
      maxInFlight: dice.chance(0.15) ? dice.int(1, 5) : null,
    },
    authorization: dice.chance(0.2) ? { scheme: 'bearer', secret: `authorization-${id}` } : null,
    heartbeatEverySeconds: dice.chance(0.1) ? 3_600 : null,
  }
  const isWell = dice.chance(0.35)
  const phases: Moods['phases'][number][] = []
  let untilMs = startMs
  while (!isWell && untilMs < startMs + chaosMs) {
    untilMs += dice.int(Math.floor(chaosMs / 20), chaosMs)
    phases.push({ untilMs, mood: dice.chance(0.35) ? 'well' : dice.pick(moodKinds) })
  }
  return { endpoint, moods: { phases, healedAtMs: Number.POSITIVE_INFINITY } }
}
