import { expect, test } from 'vitest'
import { jsonEscaped, markers, markersIn, wordsOfError } from './markers.ts'

const { token, recipient, signingSecret } = markers

test.each([
  token,
  token.toUpperCase(),
  encodeURIComponent(token),
  encodeURIComponent(token).toLowerCase(),
  Buffer.from(token).toString('base64'),
  Buffer.from(`user:${token}`).toString('base64'),
  Buffer.from(`us:${token}.`).toString('base64url'),
  Buffer.from(token).toString('hex'),
  JSON.stringify({ token }),
  jsonEscaped(token),
])('a token is found in %s', text => {
  expect(markersIn(`before ${text} behind`)).toEqual(['token'])
})

test('an address is found with its @ in any notation, a secret in base64 or out of it', () => {
  for (const at of ['@', '%40', '\\u0040', '&#64;']) {
    expect(markersIn(recipient.replace('@', at).replace('%40', '@'))).toEqual(['recipient'])
  }
  expect(markersIn(`${recipient} ${signingSecret}`)).toEqual(['recipient', 'signingSecret'])
  expect(markersIn('Pl4nted/t0ken, planted.recipient, whsec_')).toEqual([])
})

test("an error is searched with its fields, its stack and its causes'", () => {
  const cause = Object.assign(new Error('deep'), { said: [token] })
  expect(markersIn(wordsOfError(new Error('a', { cause: new Error('b', { cause }) })))).toEqual(['token'])
  expect(markersIn(wordsOfError(new Error('a', { cause: recipient })))).toEqual(['recipient'])
})
