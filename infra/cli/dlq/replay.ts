import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { createReplayPlans } from '../../../shared/adapters/dynamodb/replay-plans.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { type Replayed, replayDead } from '../../../shared/domain/replay/change-dead.ts'
import { openPlan, type ReplayPlan } from '../../../shared/domain/replay/replay-plan.ts'
import { showDuration } from '../../local/durations.ts'
import { defineCommand } from '../command.ts'
import { endpointsOf } from '../deliveries/find-deliveries.ts'
import { findPresentEndpoint } from '../endpoint/find-endpoint.ts'
import { rangeOf } from '../events/inputs.ts'
import { type ExitCode, exitDone, exitInterrupted } from '../exit-codes.ts'
import { isoOrNull, showAge } from '../output/moments.ts'
import { counted } from '../output/texts.ts'
import { type Session, show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { copiesText, removeSpentCopies } from './copies.ts'
import { countDead, renderGroups, searchWithProgress } from './counting.ts'
import type { ToFind } from './find-dead.ts'
import {
  choosesAny,
  deadLetterFlags,
  dryRunFlag,
  everyError,
  everyFlag,
  rateDefault,
  rateFlag,
  selectionOf,
} from './inputs.ts'
import { planNameOf } from './plan-name.ts'
import { noteGoesOn, noteWhereNothingSends } from './sending-notes.ts'

export const replayDeadLetters = defineCommand({
  name: 'replay',
  summary: 'Try dead letters again: each begins another round, at a rate',
  details: `Sends nothing itself: it sets deliveries to waiting, with due times spread by --rate, and the releaser, which runs every
minute, sends them. So an interruption loses nothing: the same command goes on with what is still dead, for a day in the
same range of time although --since says how long ago. What an endpoint that is disabled gets is held until it is enabled.
Copies in the dead-letter queue are removed where they are found; those that stay there do no harm.`,
  examples: [
    { line: 'bridge dlq replay --endpoint crm --since 1d --dry-run' },
    { line: 'bridge dlq replay --endpoint crm --reason timeout,http_5* --rate 25' },
    { line: 'bridge dlq replay --all' },
  ],
  input: z
    .object({ ...deadLetterFlags, all: everyFlag, rate: rateFlag, 'dry-run': dryRunFlag })
    .refine(input => choosesAny(input) || input.all === true, { error: everyError }),
  run: async (input, session) => {
    const { all: _, rate: ratePerSecond = rateDefault, 'dry-run': isDryRun, ...asked } = input
    const range = rangeOf(input, session.clock.now())
    const bridge = await session.open()
    if (input.endpoint !== undefined) await findPresentEndpoint(bridge, input.endpoint)
    const plans = createReplayPlans(bridge.table)
    const { plan, goesOn } = await openPlan(
      { name: planNameOf('replay', asked), range, nowMs: session.clock.now(), anew: false },
      plans,
    )
    const toFind: ToFind = {
      endpointIds: await endpointsOf(bridge, input),
      selection: selectionOf(input),
      range: plan,
      eventIds: input.ids ?? null,
      // Those that died since it began are counted apart.
      diedBeforeMs: null,
      order: 'oldest',
    }
    if (isDryRun) return tellCount(toFind, ratePerSecond, { bridge, session })
    if (goesOn) noteGoesOn(session, 'replay', plan)
    return replay({ toFind, plan, ratePerSecond, goesOn }, { bridge, session })
  },
})

type With = { bridge: OperatorBridge; session: Session }

const tellCount = async (toFind: ToFind, rate: number, { bridge, session }: With): Promise<ExitCode> => {
  const { total, groups } = await countDead(toFind, { bridge, session })
  if (session.signal.aborted) return exitInterrupted
  const takesMs = (total / rate) * 1_000
  show(session, {
    json: () => ({
      dryRun: true,
      deadLetters: total,
      rate,
      takesSeconds: Math.ceil(takesMs / 1_000),
      groups,
    }),
    text: look =>
      total === 0
        ? 'There are no such dead letters.'
        : `${renderGroups(look, groups)}\n\n${counted(total, 'dead letter')} would be replayed, ${rate} a second: in ${showDuration(takesMs)}. Nothing was done.`,
  })
  return exitDone
}

const replay = async (
  of: { toFind: ToFind; plan: ReplayPlan; ratePerSecond: number; goesOn: boolean },
  { bridge, session }: With,
): Promise<ExitCode> => {
  const endpoints = await bridge.endpoints.list()
  const removed = new Set(endpoints.filter(({ state }) => state === 'removed').map(({ id }) => id))
  const met = new Set<string>()
  let changed = 0
  const doing = (): string => `${changed.toLocaleString('en-US')} replayed …`
  const { pages, progress } = await searchWithProgress(of.toFind, { bridge, session, doing })
  const result = await replayDead(
    {
      ...of,
      pages: noting(pages, met),
      signal: session.signal,
      onProgress: done => {
        changed = done.changed
      },
      isRemoved: id => removed.has(id),
    },
    {
      store: bridge.store,
      clock: session.clock,
      newId: randomUUID,
      plans: createReplayPlans(bridge.table),
    },
  )
  progress.end()
  if (!result.complete) {
    session.io.note(`Interrupted: ${result.replayed} replayed. The same command goes on with the rest.`)
    return exitInterrupted
  }
  const copiesRemoved = await removeSpentCopies(bridge, session)
  answer(session, { ...result, copiesRemoved, goesOn: of.goesOn, rate: of.ratePerSecond })
  if (result.replayed > 0) {
    noteWhereNothingSends(session, {
      target: bridge.target,
      endpoints: endpoints.filter(({ id }) => met.has(id)),
    })
  }
  return exitDone
}

async function* noting(pages: AsyncIterable<readonly Delivery[]>, met: Set<string>) {
  for await (const page of pages) {
    for (const { endpointId } of page) met.add(endpointId)
    yield page
  }
}

type Answer = Replayed & { copiesRemoved: number; goesOn: boolean; rate: number }

const answer = (session: Session, of: Answer): void =>
  show(session, {
    json: () => ({
      dryRun: false,
      replayed: of.replayed,
      left: of.left,
      rate: of.rate,
      lastDueAt: isoOrNull(of.lastDueMs === null ? null : Math.round(of.lastDueMs)),
      wentOn: of.goesOn,
      copiesRemoved: of.copiesRemoved,
    }),
    text: ({ colors }) => {
      const nowMs = session.clock.now()
      const last =
        of.lastDueMs === null
          ? ''
          : ` They go out at ${of.rate} a second, the last ${showAge(Math.max(of.lastDueMs, nowMs + 1), nowMs)}.`
      const done =
        of.replayed === 0
          ? 'Nothing was replayed.'
          : `${colors.green('Replayed')} ${counted(of.replayed, 'dead letter')}.${last}`
      return `${done}${leftText(of.left)}${copiesText(of.copiesRemoved)}`
    },
  })

const leftText = ({ movedOn, expired, endpointRemoved, diedSince }: Replayed['left']): string =>
  [
    [movedOn, 'moved on by themselves meanwhile'],
    [expired, 'are past the life of their events'],
    [endpointRemoved, 'are of endpoints that were removed'],
    [diedSince, 'were given up since it began; a new command replays them'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, why]) => ` ${count?.toLocaleString('en-US')} were left: they ${why}.`)
    .join('')
