import { type AddressMatch, createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { UsageError } from '../failures.ts'
import type { Session } from '../session.ts'

/** In place of an address: it is read from standard input, where no shell remembers it. */
export const fromStandardInput = '-'

/** What finds the address that was given. Throws a `UsageError`, which does not say it, where it is none. */
export const readAddress = async (given: string, { io }: Pick<Session, 'io'>): Promise<AddressMatch> => {
  const text = given === fromStandardInput ? ((await io.standardInput()) ?? '') : given
  if (text.trim() === '') throw new UsageError(['--recipient: pipe the address in, where it is -'])
  const match = createAddressMatch(text.trim())
  if (match === null) throw new UsageError(['--recipient: must be one email address, as jo@example.com'])
  return match
}
