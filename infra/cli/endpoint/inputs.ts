import { argument, optional, toggle } from '../input.ts'
import { categoriesValue, domainsValue, idValue, sharedValues, sourceIdsValue } from '../values.ts'
import { headerLinesValue, heartbeatValue, inFlightValue, perSecondValue } from './delivery-values.ts'

export const endpointIdArgument = argument(idValue, { value: 'ID', text: "the endpoint's id" })

/** What an endpoint gets. */
const subscriptionFlags = {
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

/** How it gets it. */
const deliveryFlags = {
  header: optional(headerLinesValue, {
    value: 'HEADER',
    text: "a header of every request, as 'x-tenant: acme'; may be given again; for a secret: endpoint authorization",
    repeats: true,
  }),
  'max-per-second': optional(perSecondValue, {
    value: 'N',
    text: 'attempts begun a second at most; any: no limit',
  }),
  'max-in-flight': optional(inFlightValue, {
    value: 'N',
    text: 'attempts under way at the same time at most; any: no limit',
  }),
  'heartbeat-every': optional(heartbeatValue, {
    value: 'TIME',
    text: 'send webhook.heartbeat so often, as 5m; never: none (default)',
  }),
}

/** What add and update take alike. */
export const settingFlags = { ...subscriptionFlags, ...deliveryFlags }

export const showHeadersFlag = toggle("the values of the endpoint's headers, which may be secrets")

export const allowPrivateFlag = toggle(
  'http, and addresses of this machine and its network; for a local bridge that was started so too',
)
