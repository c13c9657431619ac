import { domainToUnicode } from 'node:url'
import * as z from 'zod'
import { parseRecipient } from '../event/addresses.ts'
import { stringsIn } from './strings-in.ts'

/** What an event has to do with an address: it is about this recipient, or another one's record mentions it. */
export type Bearing = 'recipient' | 'mention' | 'none'

export type AddressMatch = {
  /** Of an event's body, as the log or a message keeps it. */
  ofBody(body: string): Bearing
  /** Whether a text that may be anything holds the address, in any letter case and however its JSON escapes it. */
  isIn(text: string): boolean
}

const bodySchema = z.object({
  data: z.object({
    recipient: z.object({ normalized: z.string().nullable() }),
    raw: z.record(z.string(), z.unknown()),
  }),
})

/** What may stand right before or after an address and would make it another one: jo@example.com in banjo@example.com. */
const before = '(?<![\\p{L}\\p{N}._%+-])'
const after = '(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])'

/** What finds an address; null where the text is none. Addresses are compared as events normalise them. */
export const createAddressMatch = (given: string): AddressMatch | null => {
  const { normalized } = parseRecipient(given)
  if (normalized === null) return null
  const asGiven = comparable(given.trim())
  const spellings = new Set(spellingsOf(normalized))
  // Where it was given with a name or in brackets, that is no spelling of it.
  if (/^[^\s<>"]+$/.test(asGiven)) spellings.add(asGiven)
  const anywhere = new RegExp(`${before}(?:${[...spellings].map(escaped).join('|')})${after}`, 'u')
  const holds = (text: string): boolean => anywhere.test(comparable(text))
  // Most events have nothing to do with it, and a log has millions: they need no parsing. Where JSON escapes, they do.
  const isSafe = !/["\\]/.test(normalized)
  const isFar = (body: string): boolean => {
    const text = comparable(body)
    return isSafe && !text.includes('\\u') && ![...spellings].some(spelling => text.includes(spelling))
  }
  const isAddress = (text: string): boolean =>
    spellings.has(comparable(text.trim())) || parseRecipient(text).normalized === normalized

  return {
    ofBody: body => {
      if (isFar(body)) return 'none'
      const value = jsonOf(body)
      const read = bodySchema.safeParse(value)
      if (read.success) {
        const { recipient, raw } = read.data.data
        const rcpt = raw['rcpt']
        if (recipient.normalized === normalized) return 'recipient'
        if (typeof rcpt === 'string') {
          if (isAddress(rcpt)) return 'recipient'
          // Nobody could tell whose it is: several addresses, or one with something around it.
          if (recipient.normalized === null && holds(rcpt)) return 'recipient'
        }
      }
      return some(stringsIn(value ?? body), holds) ? 'mention' : 'none'
    },
    isIn: text => holds(text) || some(stringsIn(jsonOf(text)), holds),
  }
}

/** As the normalised form, with the domain as people write it, and as it stands in a link. */
const spellingsOf = (normalized: string): string[] => {
  const at = normalized.lastIndexOf('@')
  const local = normalized.slice(0, at)
  const shown = `${local}@${comparable(domainToUnicode(normalized.slice(at + 1)))}`
  return [normalized, shown].flatMap(text => [
    text,
    text.replace('@', '%40'),
    comparable(encodeURIComponent(text)),
  ])
}

const comparable = (text: string): string => text.toLowerCase().normalize('NFC')

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const some = (texts: Iterable<string>, is: (text: string) => boolean): boolean => {
  for (const text of texts) if (is(text)) return true
  return false
}
