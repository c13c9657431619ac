import type { BounceKind } from './event-types.ts'
import type { SmtpCodes } from './smtp-codes.ts'

/** What we advise (DESIGN.md, section 5). */
export const suggestedActions = ['suppress', 'review', 'suppress_temporarily', 'none'] as const
export type SuggestedAction = (typeof suggestedActions)[number]

/**
 * What to do about a bounce. Soft: `suppress_temporarily`; expired and unknown kinds: `none`, for nobody refused the
 * recipient. Hard: by the cause that the category names; where it names none (`other`, none at all, a category that
 * we don't know), by the enhanced code, else by the reply code. A hard bounce of unknown cause is `none`: to
 * suppress it would take a reachable recipient off the list on a guess, and its text is never interpreted.
 */
export const suggestedActionForBounce = (bounce: {
  kind: BounceKind
  category: string | null
  codes: SmtpCodes
}): SuggestedAction => {
  if (bounce.kind === 'soft') return 'suppress_temporarily'
  if (bounce.kind !== 'hard') return 'none'
  const byCategory = categoryActions.get(bounce.category?.trim().toLowerCase() ?? '')
  return byCategory ?? actionByCodes(bounce.codes)
}

/** A complaint is the recipient's own word. */
export const suggestedActionForComplaint: SuggestedAction = 'suppress'

/** The categories that name a cause, in PowerMTA's words. `other` is missing: it names none. */
const categoryActions: ReadonlyMap<string, SuggestedAction> = new Map([
  // The cause is the recipient: the address, its mailbox, its domain.
  ['bad-mailbox', 'suppress'],
  ['inactive-mailbox', 'suppress'],
  ['bad-domain', 'suppress'],
  // A full mailbox: temporary by nature, but this one the service calls hard, and the cause is the recipient's.
  ['quota-issues', 'suppress'],
  // The message was refused for what it says.
  ['content-related', 'review'],
  ['spam-content', 'review'],
  ['virus-related', 'review'],
  // It was refused for who sends it, or by the receiver's rules: another message may pass.
  ['spam-related', 'review'],
  ['spam-block', 'review'],
  ['policy-related', 'review'],
  ['invalid-sender', 'review'],
  // Relaying is denied by a rule about who may send where: a policy (RFC 3463, X.7.1).
  ['relaying-issues', 'review'],
  // The way to the recipient failed, not the recipient, nor the message.
  ['no-answer-from-host', 'none'],
  ['routing-errors', 'none'],
  ['bad-connection', 'none'],
  ['bad-configuration', 'none'],
  ['protocol-errors', 'none'],
  ['message-expired', 'none'],
])

/** Subject and detail of enhanced codes whose cause differs from that of their subject, or is known at all. */
const enhancedActions: ReadonlyMap<string, SuggestedAction> = new Map([
  // X.1: addresses; 0 is undefined, 7 and 8 are the sender's (RFC 3463, section 3.2).
  ['1.1', 'suppress'],
  ['1.2', 'suppress'],
  ['1.3', 'suppress'],
  ['1.4', 'suppress'],
  ['1.6', 'suppress'],
  ['1.7', 'review'],
  ['1.8', 'review'],
  // The recipient's domain has a null MX (RFC 7505); Exchange Online uses it for an unknown recipient.
  ['1.10', 'suppress'],
  // Exchange Online: the remote server knows no such recipient.
  ['1.351', 'suppress'],
  // X.2: the mailbox; but a message too long for it is about the content, and a list's expansion about neither.
  ['2.3', 'review'],
  ['2.4', 'none'],
  // X.3: the mail system; a message too big for it is about the content.
  ['3.4', 'review'],
  // X.7: security and policy; but the mailbox or the domain has a new owner (RFC 7293): no longer this recipient.
  ['7.17', 'suppress'],
  ['7.18', 'suppress'],
])

/** What remains of a subject: 2 is the mailbox's status, 6 the content, 7 security and policy (RFC 3463). */
const subjectActions: ReadonlyMap<string, SuggestedAction> = new Map([
  ['2', 'suppress'],
  ['6', 'review'],
  ['7', 'review'],
])

/** Reply codes that name a cause by themselves; 550, 552, 553 and 554 stand for mailbox, size and policy alike. */
const replyActions: ReadonlyMap<number, SuggestedAction> = new Map([
  // User not local (RFC 5321, section 4.2.3).
  [551, 'suppress'],
  // The domain accepts no mail (RFC 7504).
  [556, 'suppress'],
])

const actionByCodes = (codes: SmtpCodes): SuggestedAction => {
  if (codes.enhanced_code === null) return replyActions.get(codes.smtp_code ?? 0) ?? 'none'
  const [statusClass, subject = '', detail = ''] = codes.enhanced_code.split('.')
  // A success says nothing of why it bounced.
  if (statusClass === '2') return 'none'
  return enhancedActions.get(`${subject}.${detail}`) ?? subjectActions.get(subject) ?? 'none'
}
