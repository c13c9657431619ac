import * as z from 'zod'
import { logMemoryDays } from '../../../shared/domain/polling/event-log.ts'
import { type RewindResult, rewind } from '../../../shared/domain/polling/rewind.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone, exitFailed } from '../exit-codes.ts'
import { CommandError, RefusedError, UsageError } from '../failures.ts'
import { needed, optional, toggle } from '../input.ts'
import { isoOfSecond, showMoment } from '../output/moments.ts'
import { type Session, show } from '../session.ts'
import { momentOf, timeValue } from '../values.ts'
import { findSource } from './find-source.ts'
import { sourceIdArgument } from './inputs.ts'

type Rewound = { stream: StreamName; result: RewindResult }

export const rewindSource = defineCommand({
  name: 'rewind',
  summary: 'Read again everything since a time; what was sent already is not sent again',
  details: `The cursor moves back to a record of the event log from before that time, or to the start of the list. The next
re-reading, within a minute or so, goes on from there with a quarter of the requests; what is new keeps its pace. The
event log, which remembers ${logMemoryDays} days, drops what was sent, so that only what was missed becomes an event. A poller that
is at work goes on from the new place.

A source that began at latest has a floor: nothing before it is ever sent. A time before the floor is refused, unless
--lower-floor says that the past is to be sent after all: all of it since then, to every endpoint that it matches. (What
stood in the second of the floor itself counts as sent.) To give past events to one endpoint, use bridge recover.`,
  examples: [
    { line: 'bridge source rewind main --to 6h' },
    { line: 'bridge source rewind main --to 2026-01-31T12:00:00Z --stream complaints --dry-run' },
    { line: 'bridge source rewind main --to 2026-01-31 --lower-floor', text: 'Sends the past as well.' },
  ],
  confirms: true,
  input: z.object({
    id: sourceIdArgument,
    to: needed(timeValue, { value: 'TIME', text: 'a time with its zone, a day, or how long ago, as 6h' }),
    stream: optional(z.enum(streamNames, { error: `must be ${streamNames.join(' or ')}` }), {
      value: 'STREAM',
      text: `${streamNames.join(' or ')} (default both)`,
    }),
    'lower-floor': toggle('send records from before the floor too'),
    'dry-run': toggle('say what would be done, and do nothing'),
  }),
  run: async (input, session) => {
    const nowMs = session.clock.now()
    const toSecond = Math.floor(momentOf(input.to, nowMs) / 1_000)
    checkTime(toSecond, nowMs)
    const bridge = await session.open()
    const { id } = await findSource(bridge, input.id)
    const streams = input.stream === undefined ? streamNames : [input.stream]
    const lowerFloor = input['lower-floor'] === true
    const rewindAll = async (isDryRun: boolean): Promise<Rewound[]> => {
      const done: Rewound[] = []
      for (const stream of streams) {
        const result = await rewind({ sourceId: id, stream, toSecond, lowerFloor, isDryRun }, bridge)
        done.push({ stream, result })
      }
      return done
    }
    const planned = await rewindAll(true)
    refuseBeforeFloor(planned)
    if (input['dry-run'] === true) return answer(session, id, { rewound: planned, isDryRun: true })
    const lowers = planned.some(({ result }) => result.kind === 'rewound' && lowersFloor(result))
    const question = `Send every record since ${showMoment(toSecond * 1_000)} that was left out so far?`
    if (lowers && !(await isConfirmed(session, question))) return exitNotConfirmed
    return answer(session, id, { rewound: await rewindAll(false), isDryRun: false })
  },
})

const checkTime = (toSecond: number, nowMs: number): void => {
  if (toSecond * 1_000 > nowMs) throw new UsageError(['--to: must be a time in the past'])
  if (nowMs - toSecond * 1_000 <= logMemoryDays * 24 * hourMs) return
  throw new RefusedError({
    code: 'beyond_memory',
    message: `the event log remembers ${logMemoryDays} days: of older records nobody knows whether they were sent`,
    hint: `Give a time within the last ${logMemoryDays} days; the service keeps records for 30.`,
  })
}

const refuseBeforeFloor = (planned: readonly Rewound[]): void => {
  for (const { stream, result } of planned) {
    if (result.kind !== 'before_floor') continue
    throw new RefusedError({
      code: 'before_floor',
      message: `${stream}: nothing before ${showMoment(result.floorSecond * 1_000)}, the floor, was ever to be sent`,
      hint: 'Give a later time; or --lower-floor, to send what lies between as well.',
    })
  }
}

const lowersFloor = (result: Extract<RewindResult, { kind: 'rewound' }>): boolean =>
  result.floorSecond < result.floorWasSecond

const answer = (
  session: Session,
  id: string,
  { rewound, isDryRun }: { rewound: readonly Rewound[]; isDryRun: boolean },
) => {
  show(session, {
    json: () => ({ source: id, dryRun: isDryRun, streams: rewound.map(streamJson) }),
    text: () => rewound.map(({ stream, result }) => `${stream}: ${tellOf(result, isDryRun)}`).join('\n'),
  })
  const isBusy = rewound.some(({ result }) => result.kind === 'busy')
  if (isBusy) {
    throw new CommandError({
      code: 'cursor_busy',
      message: 'the poller moved the cursor each time that it was to be moved back',
      hint: `Run it again; or bridge source pause ${id} first, then rewind, then resume.`,
    })
  }
  return rewound.some(({ result }) => result.kind === 'not_started') ? exitFailed : exitDone
}

const streamJson = ({ stream, result }: Rewound) => ({
  stream,
  result: result.kind,
  ...(result.kind === 'rewound' && {
    from: isoOfSecond(result.from?.second ?? null),
    to: isoOfSecond(result.to?.second ?? null),
    floor: isoOfSecond(result.floorSecond),
    floorBefore: isoOfSecond(result.floorWasSecond),
  }),
})

const tellOf = (result: RewindResult, isDryRun: boolean): string => {
  switch (result.kind) {
    case 'rewound': {
      const place = (second: number | undefined): string =>
        second === undefined ? 'the start of the list' : showMoment(second * 1_000)
      const moved = `from ${place(result.from?.second)} to ${place(result.to?.second)}`
      const floor = lowersFloor(result) ? `; the floor, to ${showMoment(result.floorSecond * 1_000)}` : ''
      return isDryRun ? `would go back ${moved}${floor}` : `went back ${moved}${floor}`
    }
    case 'nothing_to_do':
      return 'is before that time as it is: everything since is read again anyway'
    case 'not_started':
      return 'has not been read yet; there is nothing to go back from'
    case 'before_floor':
      return 'lies before the floor'
    case 'busy':
      return 'could not be moved'
  }
}
