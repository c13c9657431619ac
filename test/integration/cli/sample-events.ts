import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { holdFilled, loggedEvent } from './filled-table.ts'

export const nowSecond = Math.floor(Date.now() / 1_000)

/** A hard bounce with an address, and a diagnosis that a terminal would act on. */
export const hard = {
  bounce_type: 'h',
  bouncecat: 'bad-mailbox',
  dsndiag: 'smtp; 550 5.1.1 no\u001b[31m such user',
  rcpt: 'Jo@Example.com',
  header_from: 'Acme <news@acme.io>',
}

/** Of an hour ago. */
export const bounce = loggedEvent({ second: nowSecond - 3_600, uuid: 'b', fields: hard })
/** Of a day and an hour ago, for both endpoints. */
export const complaint = loggedEvent({
  second: nowSecond - 90_000,
  uuid: 'c',
  stream: 'complaints',
  endpointIds: ['crm', 'shop'],
})

export const holdLog = (events: readonly LoggedEvent[]) => holdFilled({ sources: ['main', 'other'], events })
