import { authSchemes } from '../../../shared/domain/source.ts'
import { argument, optional } from '../input.ts'
import { idValue, sharedValues, yesNoValue } from '../values.ts'

export const sourceIdArgument = argument(idValue, { value: 'ID', text: "the source's id" })

/** How a source is polled; what `add` leaves out has a default. */
export const pollingFlags = {
  'path-prefix': optional(sharedValues['path-prefix'], {
    value: 'PATH',
    text: 'what comes before /bounces and /fbl (default /api/v2)',
  }),
  'auth-scheme': optional(sharedValues['auth-scheme'], {
    value: 'SCHEME',
    text: `how the token is sent: ${authSchemes.join(', ')} (default Token)`,
  }),
  'include-soft': optional(yesNoValue, {
    value: 'YES|NO',
    text: 'soft and expired bounces as well as hard ones (default no)',
  }),
  'page-size': optional(sharedValues['page-size'], {
    value: 'N',
    text: 'records a page, 1 to 1000; sent only if given',
  }),
  'poll-every': optional(sharedValues['poll-every'], {
    value: 'SECONDS',
    text: 'between two polls of a stream (default 5); a stack may allow itself less often',
  }),
  overlap: optional(sharedValues.overlap, {
    value: 'SECONDS',
    text: 'how late a record may become visible and still be found at once (default 120)',
  }),
  'requests-per-minute': optional(sharedValues['requests-per-minute'], {
    value: 'N',
    text: "the service's limit; 80 % of it is used (default 60)",
  }),
}
