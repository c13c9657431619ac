import { showDuration } from './durations.ts'
import type { Counts } from './tally.ts'

/** How things stand, in one line. */
export const progressLine = (counts: Counts): string => {
  const { read, enqueued, delivered, now, ages, quarantined } = counts
  const more = counts.andMore ? '+' : ''
  const parts = [
    `read ${read}`,
    `enqueued ${enqueued}`,
    `delivered ${delivered}`,
    `waiting ${now.waiting}${more}`,
    `held ${now.held}${more}`,
    `dead ${now.dead}${more}`,
  ]
  if (quarantined > 0) parts.push(`set aside ${quarantined}`)
  if (ages !== null) {
    parts.push(
      `age at delivery: half within ${showDuration(ages.halfMs)}, at most ${showDuration(ages.maxMs)}`,
    )
  }
  return parts.join(' · ')
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** What a run did, at its end; `next` says what becomes of what is left. */
export const endLines = (counts: Counts, of: { tookMs: number; next: string }): string[] => {
  const { now } = counts
  const more = counts.andMore ? ' or more' : ''
  const took = `${showDuration(of.tookMs)}: ${plural(counts.read, 'record', 'records')} read`
  const lines = [
    `Ran for ${took}, ${plural(counts.enqueued, 'event', 'events')} enqueued, ` +
      `${plural(counts.delivered, 'delivery', 'deliveries')} made with ${plural(counts.attempts, 'attempt', 'attempts')}.`,
  ]
  const left = now.waiting + now.held + now.dead
  if (left > 0) {
    lines.push(
      `Left: ${now.waiting} waiting, ${now.held} held, ${plural(now.dead, 'dead letter', 'dead letters')}${more}; ${of.next}.`,
    )
  }
  if (counts.quarantined > 0) {
    lines.push(
      `${plural(counts.quarantined, 'record was', 'records were')} set aside: they can't be understood.`,
    )
  }
  return lines
}
