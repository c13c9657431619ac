import fc from 'fast-check'
import { htmlEscaped, jsonEscaped, markers } from './markers.ts'

const notations = fc.constantFrom(
  (text: string) => text,
  encodeURIComponent,
  (text: string) => encodeURIComponent(text).replace(/%../g, hex => hex.toLowerCase()),
  (text: string) => jsonEscaped(text, /@/g),
  (text: string) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  (text: string) => jsonEscaped(text),
  htmlEscaped,
  (text: string) => text.replace('@', '&#64;'),
  (text: string) => text.replace('@', '&#x40;'),
)
const tokenInBase64 = fc.constantFrom(markers.token, Buffer.from(markers.token).toString('base64'))

/** What a service says that repeats whatever it was sent, and to whom its mails went. */
export const sayings: fc.Arbitrary<string> = fc
  .tuple(notations, notations, tokenInBase64, fc.nat(900))
  .chain(([noteAddress, noteToken, token, before]) => {
    const address = noteAddress(markers.recipient)
    const said = `${'x '.repeat(before)} ${address} ${noteToken(token)} ${address},${noteToken(token)}`
    const json = JSON.stringify(said).replaceAll('\\\\', '\\')
    return fc.constantFrom(
      said,
      `<html><body>${said}</body></html>`,
      `{"detail":${json}}`,
      `{"errors":[${json}]}`,
      `{"last_id":[${json}],"${address}":["${noteToken(token)}"]}`,
      `{"non_field_errors":${json},"__proto__":[${json}]}`,
      `{"code":1,"message":${json}}`,
    )
  })

const headerValue = fc.oneof(
  fc.constantFrom(
    '0',
    '-1',
    '1e400',
    '99999999999999999999',
    'NaN',
    'Fri, 20 Nov 2026 09:30:00 GMT',
    'Mon, 0',
    '5',
  ),
  fc.string({ maxLength: 20 }).map(text => text.replace(/[^ -~]/g, '')),
)
/** What poller and limits go by, and where a redirect leads. */
export const headers = fc.record(
  {
    date: headerValue,
    'retry-after': headerValue,
    'x-ratelimit-limit': headerValue,
    'x-ratelimit-remaining': headerValue,
    'x-ratelimit-reset': headerValue,
    'content-encoding': fc.constantFrom('gzip', 'br', 'identity', '', `x-${markers.recipient}`),
    'content-type': fc.constantFrom('text/html', 'application/json; charset=utf-16', 'x'),
    location: fc.constantFrom(
      `https://169.254.169.254/?token=${encodeURIComponent(markers.token)}`,
      `http://127.0.0.1/${encodeURIComponent(markers.token)}/${markers.recipient}`,
      `//${markers.recipient}/`,
      '',
    ),
  },
  { requiredKeys: [] },
)
export const status = fc.oneof(
  fc.constantFrom(200, 204, 301, 307, 400, 401, 403, 404, 422, 429, 500, 503),
  fc.integer({ min: 200, max: 999 }),
)
