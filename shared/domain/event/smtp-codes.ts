import { type CodeToken, codeTokens } from './smtp-code-tokens.ts'

/** What a diagnostic says: the SMTP reply code, and the enhanced status code (RFC 3463) of that same reply. */
export type SmtpCodes = { smtp_code: number | null; enhanced_code: string | null }

/**
 * Reads a record's `dsndiag`. What it returns stands in the text as a code, or is null: nothing is derived from the
 * bounce's type, and no IP address, time-out, message id, date, port or size is taken for one. Both codes come from
 * one reply. Never throws; linear in the length of the text.
 *
 * Which reply, where the text quotes several: the one that the report is about.
 * 1. A refusal (4xx, 5xx) before any 2xx: `220-mx 421 4.2.1 …` is a greeting, then the refusal.
 * 2. The one at the start of the text: that is where RFC 3464 (section 2.3.6) has the reply; later ones are quoted by
 *    it, as in `550 5.1.351 Remote server returned … -> 550 …`.
 * 3. The first that is known for a reply by what stands around it (smtp-code-tokens.ts): `host x said: 554 5.6.0 …`.
 *    So an enhanced code of the sending server that sums up a quoted reply gives way to that reply, as in
 *    `5.1.0 - Unknown address error 550-'5.2.2 … Mailbox Full'`: it names the cause, and has both codes.
 *
 * Which enhanced code: the one directly after the reply code, of another class too (Exchange reports what expired in
 * its queue as `550 4.4.7`); else the one after the same reply code further on, since a diagnostic is a reply of
 * several lines joined (`550-The account 550 5.1.1 …`); else a marked one of the reply code's class, as `(#5.1.1)`.
 * Without a reply code: one at the start, or a marked one.
 */
export const parseSmtpCodes = (dsndiag: string | null): SmtpCodes => {
  if (dsndiag === null) return { smtp_code: null, enhanced_code: null }
  const tokens = codeTokens(dsndiag)
  const reply = reportedReply(tokens)
  return {
    smtp_code: reply === null ? null : Number(reply.text),
    enhanced_code: reply === null ? loneEnhanced(tokens) : enhancedOf(reply, tokens),
  }
}

const reportedReply = (tokens: readonly CodeToken[]): CodeToken | null => {
  const replies = tokens.filter(token => token.kind === 'reply')
  const refusals = replies.filter(reply => reply.text[0] !== '2')
  const candidates = refusals.length > 0 ? refusals : replies
  return candidates.find(reply => reply.mark === 'start') ?? candidates[0] ?? null
}

const enhancedOf = (reply: CodeToken, tokens: readonly CodeToken[]): string | null => {
  const ofSameReply = tokens.find(
    token => token.kind === 'reply' && token.text === reply.text && token.enhanced !== null,
  )
  if (reply.enhanced !== null || ofSameReply !== undefined)
    return reply.enhanced ?? ofSameReply?.enhanced ?? null
  // One that belongs to another reply is that reply's, even where its class would fit.
  const marked = tokens.find(
    token => token.kind === 'enhanced' && token.mark !== 'paired' && token.text[0] === reply.text[0],
  )
  return marked?.text ?? null
}

const loneEnhanced = (tokens: readonly CodeToken[]): string | null => {
  const credible = tokens.filter(token => token.kind === 'enhanced' && token.mark !== 'after_colon')
  return (credible.find(token => token.mark === 'start') ?? credible[0])?.text ?? null
}
