/**
 * Why a number is taken for a code. start: the text begins with it · paired: a reply code with its enhanced code, or
 * that enhanced code · introduced: the words before it say so · marked: `#5.1.1`, `(5.1.1)`, `[5.1.1]` ·
 * after_colon: an enhanced code after a colon, which is enough only beside a reply code of its class.
 */
export type CodeMark = 'start' | 'paired' | 'introduced' | 'marked' | 'after_colon'

export type CodeToken = {
  kind: 'reply' | 'enhanced'
  text: string
  mark: CodeMark
  /** Of a reply code: the enhanced code directly after it. */
  enhanced: string | null
}

/** A whole run of digits and dots: an IP address, a long number or a version of four parts is one run, and no code. */
type Run = { text: string; start: number; end: number }

/** How much of the text before and after a number is looked at: what makes the reading linear. */
const contextChars = 48
/** `5.100.100` and the dots of an ellipsis. */
const runCharsMax = 16
/** Between a reply code and its enhanced code: `550-5.7.1`, `550 #5.1.0`, `('550', ['5.1.1`. */
const pairGapCharsMax = 5

const replyForm = /^[245]\d\d$/
/** Away from the start only refusals that SMTP knows: 404 or 465 is an HTTP status or a port. */
const quotedReplyForm = /^(?:4[2-5]\d|5[0-5]\d)$/
/** RFC 3463, section 2: class 2, 4 or 5, then two numbers of up to three digits without leading zeros. */
const enhancedForm = /^[245]\.(?:0|[1-9]\d{0,2})\.(?:0|[1-9]\d{0,2})$/

/** The diagnostic's type (RFC 3464, section 2.3.6), as `smtp;`; some reports write it twice. */
const typePrefix = /^(?:\s*[a-z][\w.-]{0,40}\s*;){1,3}/i
/** After these types a number at the start is the exit status of a program. */
const programTypes = /x-unix\s*;$/i

const startOnly = /^[\s<>"'(){}[\]#*:-]{0,8}$/
const pairGap = /^[\s\-#<>"'()[\]:,;=/]{1,5}$/
const opening = String.raw`[\s"'(\[<]*$`
const replyIntroducer = new RegExp(
  [
    String.raw`\b(?:said|says|replied|answered|responded)(?:\s+with)?\s*:?\s*${opening}`,
    String.raw`\b(?:reply|response|answer|returned|was|reason|to me|(?:smtp|server|remote) error)\s*:\s*${opening}`,
    String.raw`\b(?:smtp|reply|response|status|error) code\s*(?:is|was|[:=])?\s*${opening}`,
    // `host mx.example.com [192.0.2.1]: 550 …`, `RCPT TO:<a@example.com>: 550 …`, `mx.example.com: 550 …`
    String.raw`(?:[\])>]|[a-z\d-]\.[a-z][a-z\d-]*):\s+${opening}`,
    String.raw`(?:->|<<<)\s*${opening}`,
    String.raw`\('$`,
  ].join('|'),
  'i',
)
const enhancedIntroducer = new RegExp(
  String.raw`\b(?:said|says|reply|response|reason|status|dsn|code|(?:smtp|server|remote) error)\s*[:=]\s*${opening}`,
  'i',
)
/** `timed out after 450 seconds`, `552 bytes`: an amount, no code. */
const amount =
  /^[\s-]*(?:secs?|seconds?|ms|msecs?|milliseconds?|mins?|minutes?|hrs?|hours?|days?|bytes?|octets?|[kmg]i?b)\b/i
/** `5.1.1-2024`, `5.11.23 12:30`: an id, a date. */
const continued = /^(?:[-:]\d|\s+\d{1,2}:\d\d)/

/** Every number in a diagnostic that its form and its surroundings show to be a code, in the order of the text. */
export const codeTokens = (dsndiag: string): CodeToken[] => {
  const type = typePrefix.exec(dsndiag)?.[0] ?? ''
  const text = dsndiag.slice(type.length)
  const runs = codeRuns(text)
  const tokens: CodeToken[] = []
  let paired: Run | null = null
  for (const [index, run] of runs.entries()) {
    const before = text.slice(Math.max(0, run.start - contextChars), run.start)
    const after = text.slice(run.end, run.end + contextChars)
    const atStart = run.start < contextChars && startOnly.test(before)
    if (replyForm.test(run.text)) {
      const enhanced = enhancedAfter(text, run, runs[index + 1])
      const mark = replyMark({ run, before, after, enhanced, atStart: atStart && !programTypes.test(type) })
      if (mark === null) continue
      tokens.push({ kind: 'reply', text: run.text, mark, enhanced: enhanced?.text ?? null })
      paired = enhanced
    } else {
      const mark = run === paired ? 'paired' : enhancedMark({ before, after, atStart })
      if (mark !== null) tokens.push({ kind: 'enhanced', text: run.text, mark, enhanced: null })
    }
  }
  return tokens
}

const codeRuns = (text: string): Run[] => {
  const runs: Run[] = []
  for (const match of text.matchAll(/\d[\d.]*/g)) {
    if (match[0].length > runCharsMax) continue
    const run = { text: match[0].replace(/\.+$/, ''), start: match.index, end: 0 }
    run.end = run.start + run.text.length
    if (!replyForm.test(run.text) && !enhancedForm.test(run.text)) continue
    // Part of a name, a path, a query or an address: `x550`, `/5.1.1`, `id=550`, `550@…`, `5.1.1.example.com`.
    if (/[\w@.%/~+]/.test(text[run.start - 1] ?? '')) continue
    if (/[\w@%/~+]/.test(text[match.index + match[0].length] ?? '')) continue
    runs.push(run)
  }
  return runs
}

const enhancedAfter = (text: string, reply: Run, next: Run | undefined): Run | null => {
  if (next === undefined || next.start - reply.end > pairGapCharsMax || !enhancedForm.test(next.text))
    return null
  if (!pairGap.test(text.slice(reply.end, next.start))) return null
  if (continued.test(text.slice(next.end, next.end + contextChars))) return null
  // A success with the status of a failure, or the reverse, is no pair; 550 with 4.4.7 is one.
  return (reply.text[0] === '2') === (next.text[0] === '2') ? next : null
}

const replyMark = (reply: {
  run: Run
  before: string
  after: string
  enhanced: Run | null
  atStart: boolean
}): CodeMark | null => {
  const { run, before, after, enhanced } = reply
  // 220 only ever greets (RFC 5321, section 4.3.2), so it is not what a report is about.
  if (run.text === '220' || amount.test(after)) return null
  if (reply.atStart) return /^[,:]\d/.test(after) ? null : 'start'
  if (/[=-]$/.test(before) && !before.endsWith('->')) return null
  if (enhanced !== null) return 'paired'
  if (/^[-,:.]\d/.test(after) || !quotedReplyForm.test(run.text)) return null
  return replyIntroducer.test(before) ? 'introduced' : null
}

const enhancedMark = (code: { before: string; after: string; atStart: boolean }): CodeMark | null => {
  const { before, after } = code
  if (continued.test(after)) return null
  if (code.atStart) return 'start'
  if (before.endsWith('#') || (/[([]$/.test(before) && /^[)\]]/.test(after))) return 'marked'
  if (enhancedIntroducer.test(before)) return 'introduced'
  return /:\s+["'([]?$/.test(before) ? 'after_colon' : null
}
