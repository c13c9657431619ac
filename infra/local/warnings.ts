import type { Happening, PollHappening } from '../../shared/domain/happenings.ts'

/** A warning that comes again is told again no sooner than this. */
export const toldAgainAfterMs = 60_000
/** Warnings that are remembered as told; beyond it all are forgotten, and told again. */
const rememberedMax = 1_000

/** What a person should know: `about` names the trouble, so that it is not told each time. */
type Warning = { about: string; text: string }

const pollWarning = (poll: PollHappening): Warning | null => {
  const of = `${poll.source} ${poll.stream}`
  if (poll.beyondMemory > 0) {
    const text = `${of}: records older than the event log remembers are not sent, since they may have been (${poll.beyondMemory} at this poll).`
    return { about: `beyond memory ${of}`, text }
  }
  if (poll.outcome === 'complete' || poll.reason === null) return null
  const refused = poll.status === 401 || poll.status === 403
  const what = refused ? 'the token was refused' : `a poll failed (${poll.reason})`
  const status = poll.status === null ? '' : `, status ${poll.status}`
  return {
    about: `poll ${of} ${poll.reason} ${poll.status}`,
    text: [
      `${of}: ${what}${status}.`,
      poll.detail && `${poll.detail.replace(/\.$/, '')}.`,
      poll.hint,
      refused && 'It is asked again, seldom.',
    ]
      .filter(Boolean)
      .join(' '),
  }
}

const warningOf = (happening: Happening): Warning | null => {
  switch (happening.kind) {
    case 'poll':
      return pollWarning(happening)
    case 'poll_fault': {
      const { source, stream, reason, hint } = happening
      return { about: `fault ${source} ${stream} ${reason}`, text: `${source} ${stream}: ${reason}. ${hint}` }
    }
    case 'anchor_lost': {
      const of = `${happening.source} ${happening.stream}`
      return {
        about: `anchor ${of}`,
        text: `${of}: last_id leads nowhere (${happening.reason}); reading from further back.`,
      }
    }
    case 'sweep_behind': {
      const of = `${happening.source} ${happening.stream} ${happening.sweep}`
      return { about: `behind ${of}`, text: `${of} is ${happening.bySeconds} s behind.` }
    }
    case 'quarantined': {
      const of = `${happening.source} ${happening.stream}`
      return {
        about: `quarantine ${of} ${happening.reason}`,
        text: `${of}: a record was set aside: ${happening.reason}.`,
      }
    }
    case 'dead':
      return {
        about: `dead ${happening.endpoint} ${happening.reason}`,
        text: `${happening.endpoint}: dead letter after attempt ${happening.attempt}: ${happening.reason} (${happening.event}).`,
      }
    case 'endpoint_disabled':
      return {
        about: `disabled ${happening.endpoint}`,
        text: `${happening.endpoint} is disabled (${happening.reason}): its deliveries are held. bridge endpoint enable ${happening.endpoint} makes it active again, and so does a start that names it.`,
      }
    case 'fault':
      return {
        about: `fault ${happening.endpoint} ${happening.reason}`,
        text: `a fault of the bridge: ${happening.reason}. ${happening.hint}`,
      }
    case 'unreadable_message':
      return {
        about: 'unreadable',
        text: `a message that can't be read is a dead letter: ${happening.reason}.`,
      }
    default:
      return null
  }
}

/**
 * What of a happening a person should be told, or null: trouble at once when it is new, then at most once a minute with
 * how often it came meanwhile; and that a stream is polled again.
 */
export const createWarnings = (now: () => number): ((happening: Happening) => string | null) => {
  const told = new Map<string, { atMs: number; since: number }>()
  const failing = new Set<string>()

  const recovery = (poll: PollHappening): string | null => {
    const of = `${poll.source} ${poll.stream}`
    if (poll.outcome === 'failed') failing.add(of)
    else if (poll.outcome === 'complete' && failing.delete(of)) {
      for (const about of told.keys()) if (about.startsWith(`poll ${of} `)) told.delete(about)
      return `${of}: polled again.`
    }
    return null
  }
  return happening => {
    const warning = warningOf(happening)
    if (happening.kind === 'poll') {
      const recovered = recovery(happening)
      if (recovered !== null) return recovered
    }
    if (warning === null) return null
    const before = told.get(warning.about)
    if (before !== undefined && now() - before.atMs < toldAgainAfterMs) {
      before.since += 1
      return null
    }
    if (told.size >= rememberedMax) told.clear()
    told.set(warning.about, { atMs: now(), since: 0 })
    const more =
      before !== undefined && before.since > 0 ? ` (${before.since} more since it was told last)` : ''
    return `${warning.text.trim()}${more}`
  }
}
