import type { Look } from '../output/look.ts'
import { isoOrNull, showMoment } from '../output/moments.ts'
import { counted } from '../output/texts.ts'
import { type Forgotten, isNothing } from './run-forget.ts'
import type { StillHeld } from './still-held.ts'

type Shown = Forgotten & { isDryRun: boolean; held: readonly StillHeld[] }

/** Documented in infra/cli/README.md, and only ever added to. Has no address in it. */
export const forgottenJson = ({ isDryRun, table, deadLetters, held }: Shown) => ({
  dryRun: isDryRun,
  looked: table.looked,
  events: table.events,
  /** Of these events, by what they were before. */
  deliveries: table.deliveries,
  quarantined: table.quarantined,
  deadLetters: isDryRun ? deadLetters.found : deadLetters.removed,
  mentions: table.mentions,
  unreadable: table.unreadable,
  complete: table.complete && deadLetters.complete,
  stillHeld: held.map(({ where, untilMs }) => ({ where, until: isoOrNull(untilMs) })),
})

export const renderForgotten = (look: Look, shown: Shown): string => {
  const { isDryRun, table, deadLetters, held } = shown
  const warnings = warningsOf(shown).map(line => look.colors.yellow(line))
  if (isNothing(shown)) {
    return [`Nothing is held of this recipient; ${lookedAt(shown)}.`, ...warnings].join('\n')
  }
  const done = isDryRun ? 'Would be forgotten' : look.colors.green('Forgotten')
  const copies = isDryRun ? deadLetters.found : deadLetters.removed
  return [
    `${done}: ${counted(table.events, 'event')}${deliveriesText(table.deliveries)}, ${counted(table.quarantined, 'quarantined record')}, ${counted(copies, 'message')} of the dead-letter queue; ${lookedAt(shown)}.`,
    ...warnings,
    ...(isDryRun ? ['Nothing was done.'] : heldLines(look, held)),
  ].join('\n')
}

const lookedAt = ({ table, deadLetters }: Shown): string =>
  `${counted(table.looked + deadLetters.looked, 'item')} looked at`

const deliveriesText = (deliveries: Forgotten['table']['deliveries']): string => {
  const parts = Object.entries(deliveries)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count.toLocaleString('en-US')} ${state}`)
  return parts.length === 0 ? '' : ` (their deliveries were: ${parts.join(', ')})`
}

const warningsOf = ({ table, deadLetters, isDryRun }: Shown): string[] => [
  ...(table.mentions > 0
    ? [`${counted(table.mentions, 'event')} of other recipients mention the address: left as they are.`]
    : []),
  ...(table.unreadable > 0
    ? [`${counted(table.unreadable, 'item')} can not be read by this version: they may hold it.`]
    : []),
  ...(deadLetters.complete || isDryRun
    ? []
    : ['The dead-letter queue was not seen to its end: run the same command again.']),
]

const heldLines = (look: Look, held: readonly StillHeld[]): string[] => [
  '',
  'Not reached, and so perhaps still held:',
  ...held.map(({ untilMs, text }) => {
    const until = untilMs === null ? '' : ` ${look.colors.dim(`(until ${showMoment(untilMs)})`)}`
    return `  ${text}${until}`
  }),
]
