import { randomUUID } from 'node:crypto'
import { createForgettableItems } from '../../../shared/adapters/dynamodb/forgettable-items.ts'
import type { AddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { type ForgottenCounts, forgetRecipient } from '../../../shared/domain/forget/forget-recipient.ts'
import { copiesOf } from '../../../shared/domain/forget/forgotten-copies.ts'
import type { QueueLook } from '../../../shared/domain/replay/look-through-queue.ts'
import { lookWithProgress } from '../dlq/unreadable.ts'
import { createSearching } from '../output/searching.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** What was found and, where it was no dry run, removed. */
export type Forgotten = {
  table: ForgottenCounts
  deadLetters: { looked: number; found: number; removed: number; complete: boolean }
}

/** Goes through table and dead-letter queue once. What an abort leaves over, the same call finds. */
export const runForget = async (
  of: { match: AddressMatch; isDryRun: boolean },
  { bridge, session }: { bridge: OperatorBridge; session: Session },
): Promise<Forgotten> => {
  const searching = createSearching(session, 'events and records')
  let told = 0
  const onLooked = (looked: number): void => {
    searching.looked(looked - told)
    told = looked
  }
  const { store, quarantine } = bridge
  const { clock, signal } = session
  const endpointIds = (await bridge.endpoints.list()).map(({ id }) => id)
  const items = createForgettableItems(bridge.table)
  const table = await forgetRecipient(
    { ...of, endpointIds, signal, onLooked },
    { items, store, quarantine, clock, newId: randomUUID },
  )
  searching.end()
  // Last: what a worker gave up while the table was gone through has its copy here by now.
  return { table, deadLetters: await forgetCopies(of, { bridge, session }) }
}

const forgetCopies = async (
  { match, isDryRun }: { match: AddressMatch; isDryRun: boolean },
  { bridge, session }: { bridge: OperatorBridge; session: Session },
): Promise<Forgotten['deadLetters']> => {
  let found = 0
  const judge: Parameters<typeof lookWithProgress>[0] = async messages => {
    const copies = copiesOf(messages, match)
    found += copies.length
    return isDryRun ? [] : copies
  }
  const { looked, removed, complete }: QueueLook = await lookWithProgress(judge, bridge, session)
  return { looked, found, removed, complete: complete && (isDryRun || removed === found) }
}

export const isNothing = ({ table, deadLetters }: Forgotten): boolean =>
  table.events + table.quarantined + deadLetters.found === 0
