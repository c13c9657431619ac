import { createFeedbackClient } from '../../../shared/adapters/feedback-api/client.ts'
import type { ContactLists } from '../../../shared/adapters/feedback-api/contact-lists.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import type { Source } from '../../../shared/domain/source.ts'
import { printable } from '../output/printable.ts'
import { counted } from '../output/texts.ts'
import { type Check, type CheckContext, type Found, failed, ok, skipped, warning } from './check.ts'

/** Lists that are named in the one line. */
const listsNamedMax = 5
const nameCharsMax = 40

/** The contacts API takes the key: as `X-API-Key` alone, and of a token with a customer profile (feedback-api.md, 5.2). */
export const contactsKeyCheck: Check = {
  name: 'contacts key',
  run: async context => Promise.all(context.sources.map(source => checkOne(source, context))),
}

const checkOne = async (source: Source, context: CheckContext): Promise<Found> => {
  const { bridge, clock, contacts, signal } = context
  const client = createFeedbackClient({
    ...source,
    token: () => bridge.secrets.read(source.tokenSecret),
    now: () => clock.now(),
    ...(contacts !== null && { contactsBaseUrl: contacts.url, contactsToken: async () => contacts.key }),
  })
  try {
    return ok(source.id, `accepted; ${listsText(await client.listContactLists(undefined, signal))}`)
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'secret_missing') {
      return skipped(source.id, 'there is no key to ask with')
    }
    if (!(error instanceof FeedbackApiError)) throw error
    // What can't be read is no matter of the key; and a service may have its contacts elsewhere.
    if (error.failure === 'refused') return failed(source.id, error.message, error.hint)
    const elsewhere =
      'If the contacts API is elsewhere, say where with --contacts-url. The bridge itself does not need it.'
    return warning(source.id, error.message, error.status === 404 ? elsewhere : error.hint)
  } finally {
    await client.close()
  }
}

/** The fields of a list are not specified: one that has a name is told by it. */
const listsText = ({ lists, envelope }: ContactLists): string => {
  const total = typeof envelope?.['count'] === 'number' ? envelope['count'] : lists.length
  const names = lists.flatMap(list => nameOf(list) ?? []).slice(0, listsNamedMax)
  const more = names.length > 0 && total > names.length ? ', …' : ''
  return `${counted(total, 'list')}${names.length === 0 ? '' : `: ${names.join(', ')}${more}`}`
}

const nameOf = (list: unknown): string | null => {
  if (typeof list !== 'object' || list === null) return null
  const name = 'name' in list ? list.name : 'title' in list ? list.title : null
  return typeof name === 'string' && name !== '' ? printable(name).slice(0, nameCharsMax) : null
}
