import { describe, expect, test } from 'vitest'
import {
  checkCustomHeaders,
  customHeadersBytesMax,
  customHeadersMax,
  sendableHeaders,
  splitHeaderLine,
} from '../../../shared/domain/endpoint/custom-headers.ts'

const problems = (...given: [string, string][]): readonly string[] => {
  const checked = checkCustomHeaders(given)
  return checked.kind === 'invalid' ? checked.problems : []
}

test('headers are taken as they are, with names in lower case', () => {
  expect(
    checkCustomHeaders([
      ['X-Tenant', 'a b\tc'],
      ['cookie', 'k=v; l="w"'],
    ]),
  ).toEqual({
    kind: 'headers',
    headers: { 'x-tenant': 'a b\tc', cookie: 'k=v; l="w"' },
  })
})

test.each([
  'Content-Type',
  'content-length',
  'content-encoding',
  'HOST',
  'User-Agent',
  'webhook-id',
  'Webhook-Signature',
  'webhook-anything',
  'connection',
  'transfer-encoding',
  'te',
  'upgrade',
  'expect',
  'trailer',
  'keep-alive',
  'proxy-authorization',
  'Proxy-Connection',
])('%s can not be set', name => {
  expect(problems([name, 'x'])).toEqual([`the header ${name.toLowerCase()} is the bridge's own`])
})

test('authorization has a command of its own', () => {
  expect(problems(['Authorization', 'Bearer abc'])[0]).toContain('bridge endpoint authorization')
})

test.each([
  ['', '""'],
  ['a b', '"a b"'],
  ['x(y)', '"x(y)"'],
  ['x\ny', '"x?y"'],
  ['é', '"?"'],
  ['__proto__', '__proto__'],
])('%j is no name', (name, shown) => {
  expect(problems([name, 'x'])).toEqual([`${shown} is no name of a header`])
})

test.each(['a\rb', 'a\nb', 'a\0b', 'ä', 'a\x7f', ' a', 'a\t'])('%j is no value, and is not told', value => {
  expect(problems(['x-key', value])).toEqual(['the value of the header x-key is not visible ASCII'])
})

test('all problems are told at once, and no value', () => {
  const told = problems(['x-a', 'hunter2\n'], ['X-A', 'hunter2'], ['host', 'hunter2'], ['x-b', ''])
  expect(told).toEqual([
    'the value of the header x-a is not visible ASCII',
    "the header host is the bridge's own",
    'the header x-b has no value',
    'the header x-a is given twice',
  ])
})

describe('bounds', () => {
  const many = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, at) => [`x-${at}`, 'v'])
  test('there are as many headers as allowed, and no more', () => {
    expect(problems(...many(customHeadersMax))).toEqual([])
    expect(problems(...many(customHeadersMax + 1))).toEqual([`there are over ${customHeadersMax} headers`])
  })
  test('they have as many bytes as allowed, and no more', () => {
    const fits = customHeadersBytesMax - 'x-a'.length - 4
    expect(problems(['x-a', 'v'.repeat(fits)])).toEqual([])
    expect(problems(['x-a', 'v'.repeat(fits + 1)])).toEqual([
      `the headers have over ${customHeadersBytesMax} bytes together`,
    ])
  })
})

test('a line is split at its first colon, and blanks around are left out', () => {
  expect(splitHeaderLine('X-Url:  https://a.example ')).toEqual(['X-Url', 'https://a.example'])
  expect(splitHeaderLine('no colon')).toBeNull()
})

test('what somebody wrote into the table by hand is sent only where it may be', () => {
  const headers = {
    'X-Ok': '1',
    Host: 'evil.example',
    'webhook-id': 'evt',
    'x-bad': 'a\r\nb',
    authorization: 'x',
  }
  expect(sendableHeaders(headers)).toEqual({ 'x-ok': '1' })
})
