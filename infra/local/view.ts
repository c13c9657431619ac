import type { Colors } from 'picocolors/types.js'
import { showDuration } from './durations.ts'
import type { ShownAttempt } from './last-attempts.ts'
import type { Counts } from './tally.ts'

export type DemoState = {
  sourceUrl: string
  receiverUrl: string
  /** What is sent to an endpoint, for its line: its path. */
  pathOf: (endpointId: string) => string
  domainOf: (eventId: string) => string | null
  counts: Counts
  verified: number
  wrong: number
  attempts: readonly ShownAttempt[]
  runningMs: number
  notes: readonly string[]
}

type Paint = (text: string) => string
type Part = readonly [text: string, paint?: Paint]
type Line = readonly Part[]

const columnsMin = 20

/** The text of a line within so many columns: cut before it is painted, since colours have no width. */
const withinColumns = (line: Line, columns: number): string => {
  let left = Math.max(columnsMin, columns - 1)
  let text = ''
  for (const [part, paint] of line) {
    const kept = part.length <= left ? part : `${part.slice(0, Math.max(0, left - 1))}…`
    left -= kept.length
    text += paint === undefined ? kept : paint(kept)
    if (left <= 0) break
  }
  return text
}

const clockTime = (atMs: number): string => new Date(atMs).toTimeString().slice(0, 8)

const running = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000)
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`
}

const countsLine = ({ counts }: DemoState, colors: Colors): Line => {
  const { now } = counts
  const value = (name: string, count: number, paint: Paint): Part[] => [
    [`  ${name} `, colors.dim],
    [String(count).padEnd(4), count > 0 ? paint : colors.dim],
  ]
  return [
    ...value('read', counts.read, colors.bold),
    ...value('enqueued', counts.enqueued, colors.bold),
    ...value('delivered', counts.delivered, colors.green),
    ...value('waiting', now.waiting, colors.yellow),
    ...value('held', now.held, colors.yellow),
    ...value('dead', now.dead, colors.red),
  ]
}

const qualityLines = ({ counts, verified, wrong }: DemoState, colors: Colors): Line[] => {
  const { ages } = counts
  const age =
    ages === null
      ? 'nothing delivered yet'
      : `half within ${showDuration(ages.halfMs)}, at most ${showDuration(ages.maxMs)} (last ${ages.count})`
  const signatures: Part =
    wrong === 0
      ? [`${verified} verified, none wrong`, colors.green]
      : [`${wrong} wrong, ${verified} verified`, colors.red]
  return [
    [['  age at delivery   ', colors.dim], [age]],
    [['  signatures        ', colors.dim], signatures],
  ]
}

const attemptLine = (attempt: ShownAttempt, state: DemoState, colors: Colors): Line => [
  [`  ${clockTime(attempt.atMs)}  `, colors.dim],
  [attempt.type.padEnd(21)],
  [(state.domainOf(attempt.event) ?? '(no domain)').slice(0, 19).padEnd(20), colors.cyan],
  [state.pathOf(attempt.endpoint).padEnd(10)],
  [attempt.answer.padEnd(8), attempt.delivered ? colors.green : colors.yellow],
  [showDuration(attempt.ageMs)],
]

/** The demo's live view, within so many columns. Shows of recipients the domain alone. */
export const renderDemo = (state: DemoState, to: { columns: number; colors: Colors }): string => {
  const { colors } = to
  const lines: Line[] = [
    [
      ['feedback bridge', colors.bold],
      [` demo · ${running(state.runningMs)} · Ctrl-C stops it`, colors.dim],
    ],
    [[`  ${state.sourceUrl} → bridge → ${state.receiverUrl}`, colors.dim]],
    ...state.notes.map((note): Line => [[`  ${note}`, colors.dim]]),
    [],
    countsLine(state, colors),
    ...qualityLines(state, colors),
    [],
    [['  time      type                 recipient at        endpoint  answer  age', colors.dim]],
    ...state.attempts.map(attempt => attemptLine(attempt, state, colors)),
  ]
  return lines.map(line => withinColumns(line, to.columns)).join('\n')
}
