import { type Endpoint, endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import { noServiceFaults, plainReadings } from '../../unit/polling/world/service.ts'
import { noFaults } from '../engine/faults.ts'
import type { PlannedEndpoint } from '../plan/draw-endpoint.ts'
import type { Moods } from '../plan/moods.ts'
import type { Plan } from '../plan/plan.ts'
import { startMs } from '../plan/start.ts'
import { records } from './records.ts'
import { atMs, sourceId } from './scenario-time.ts'

const endpoint = (
  of: Pick<Endpoint, 'id' | 'types'> & Partial<Endpoint>,
  phases: readonly [minutes: number, mood: Moods['phases'][number]['mood']][] = [],
): PlannedEndpoint => ({
  endpoint: {
    ...endpointDefaults,
    url: `https://${of.id}.example/`,
    keys: [{ version: 1, secret: null, signsUntilMs: null }],
    ...of,
  },
  moods: {
    phases: phases.map(([minutes, mood]) => ({ untilMs: atMs(minutes), mood })),
    healedAtMs: Number.POSITIVE_INFINITY,
  },
})

const endpoints: PlannedEndpoint[] = [
  endpoint({ id: 'well', types: ['*'], heartbeatEverySeconds: hourMs / 1_000 }),
  // Down for long enough that its breaker opens, well again, and slow once, so that its neighbours need not wait.
  endpoint({ id: 'down', types: ['email.bounce.*'] }, [
    [10, 'refuses'],
    [62, 'well'],
    [64, 'slow'],
  ]),
  // Fails until what it got is a dead letter; and once more.
  endpoint({ id: 'failing', types: ['email.bounce.other'] }, [
    [36, 'errs'],
    [60, 'well'],
    [118, 'errs'],
  ]),
  // Says 410, until somebody mends it; then it is slow for a while, and takes one at a time.
  endpoint({ id: 'gone', types: ['email.complaint'], limits: { maxPerSecond: null, maxInFlight: 1 } }, [
    [20, 'gone'],
    [28, 'slow'],
  ]),
]

/** Runs of the poller, in minutes. */
const ticks = [0.2, 1.2, 2.2, 3.2, 6.2, 16.5, 45, 56, 63, 67]

/** Without any fault that the dice would throw: what goes wrong is written here. */
export const scenario: Plan = {
  seed: 0,
  sources: [
    {
      source: {
        ...sourceDefaults,
        id: sourceId,
        baseUrl: 'https://service.example',
        tokenSecret: `token-${sourceId}`,
        startAt: { kind: 'latest' },
        pollEverySeconds: 60,
        overlapSeconds: 120,
      },
      // Pages are smaller than what has one second.
      readings: { ...plainReadings, pageSize: 4 },
      faults: noServiceFaults,
      lagSeconds: 0,
      records,
      // The anchor of that time; an older one is still there.
      forgets: { atMs: atMs(65), share: 1, only: ['purged'] },
      repages: null,
    },
  ],
  endpoints,
  addable: [endpoint({ id: 'newcomer', types: ['email.bounce.hard'] })],
  refusesUntilMs: atMs(30),
  faults: noFaults,
  schedule: [5_000, 5 * minuteMs, 20 * minuteMs],
  chaosEndsAtMs: startMs + 3 * hourMs,
  pollerTicksMs: ticks.map(atMs),
  // The schedule's minute: of its ticks, only those are written here that have something to do.
  tickAfterDeathMs: minuteMs,
  operators: [
    { atMs: atMs(25), kind: 'enable', target: { endpointId: 'gone' } },
    { atMs: atMs(31), kind: 'retry_quarantined' },
    { atMs: atMs(33), kind: 'rotate', target: { endpointId: 'well' } },
    { atMs: atMs(37), kind: 'redrive' },
    { atMs: atMs(44), kind: 'empty_lane' },
    { atMs: atMs(50), kind: 'add' },
    { atMs: atMs(52), kind: 'recover_missing', target: { endpointId: 'newcomer' } },
    { atMs: atMs(55), kind: 'rewind', target: { stream: 'bounces', secondsBack: 54 * 60 } },
    { atMs: atMs(90), kind: 'recover_failed', target: { endpointId: 'failing' } },
    { atMs: atMs(120), kind: 'replay' },
    { atMs: atMs(150), kind: 'forget', target: { address: 'sam@example.com' } },
  ],
  repeatsCommands: true,
  isRepaired: true,
}
