import { argument, optional, toggle } from '../input.ts'
import { categoriesValue, domainsValue, idValue, sharedValues, sourceIdsValue } from '../values.ts'

export const endpointIdArgument = argument(idValue, { value: 'ID', text: "the endpoint's id" })

/** What an endpoint gets. */
export const subscriptionFlags = {
  types: optional(sharedValues.types, {
    value: 'LIST',
    text: 'types of event, as email.bounce.hard,email.complaint or email.* (default *)',
  }),
  'sender-domains': optional(domainsValue, {
    value: 'LIST',
    text: 'only events of mail from these domains; any: no such filter',
  }),
  'recipient-domains': optional(domainsValue, {
    value: 'LIST',
    text: 'only events of mail to these domains; any: no such filter',
  }),
  'bounce-categories': optional(categoriesValue, {
    value: 'LIST',
    text: 'only bounces of these categories, as bad-mailbox; any: no such filter',
  }),
  sources: optional(sourceIdsValue, {
    value: 'LIST',
    text: 'only events of these sources; any: no such filter',
  }),
}

export const allowPrivateFlag = toggle(
  'http, and addresses of this machine and its network; for a local bridge that was started so too',
)
