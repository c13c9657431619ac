import type { Look } from '../output/look.ts'
import { counted } from '../output/texts.ts'

/** What became of the records that were retried. */
export type RetryTally = {
  isDryRun: boolean
  records: number
  /** On a dry run: what could be read. */
  sent: number
  /** The log had their events. */
  known: number
  /** What stays in quarantine, by reason. */
  kept: Map<string, number>
  /** Of the one record that was asked for; null for several, or where it stays. */
  eventId: string | null
}

export const tallyJson = ({ isDryRun, records, sent, known, kept, eventId }: RetryTally) => ({
  dryRun: isDryRun,
  records,
  /** On a dry run: how many could be read. */
  enqueued: sent,
  known,
  kept: [...kept].map(([reason, count]) => ({ reason, count })),
  event: eventId === '' ? null : eventId,
})

/** Reasons that need more than a word. */
const hints: Readonly<Record<string, string>> = {
  before_floor: 'before the floor of the stream: bridge source rewind --lower-floor moves it',
  not_started: 'the stream has not been read yet',
  forgotten: 'its recipient was forgotten, and nothing of it is left',
  log_failed: 'the log did not take it now: try again',
}

export const renderTally = (look: Look, tally: RetryTally): string => {
  const { colors } = look
  const { records, sent, known, isDryRun } = tally
  if (records === 0) return 'There is nothing in quarantine that this asks for.'
  const event = tally.eventId === null || isDryRun ? '' : ` as ${tally.eventId}`
  const verb = isDryRun ? 'can be read, and would be sent' : `enqueued${event}`
  const lines = [
    ...(sent > 0 ? [`${counted(sent, 'record')} ${colors.green(verb)}.`] : []),
    ...(known > 0 ? [`${counted(known, 'record')} known already${event}; taken out.`] : []),
    ...[...tally.kept].map(
      ([reason, count]) =>
        `${counted(count, 'record')} ${colors.yellow('kept')}: ${hints[reason] ?? reason}.`,
    ),
  ]
  return lines.join('\n')
}
