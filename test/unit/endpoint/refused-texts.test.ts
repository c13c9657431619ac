import { describe, expect, test } from 'vitest'
import { addressVerdict } from '../../../shared/domain/endpoint/address-guard.ts'
import {
  authorizationBytesMax,
  authorizationHeader,
  secretsInAuthorization,
} from '../../../shared/domain/endpoint/authorization.ts'
import { checkCustomHeaders, splitHeaderLine } from '../../../shared/domain/endpoint/custom-headers.ts'
import { endpointUrlLengthMax, parseEndpointUrl } from '../../../shared/domain/endpoint/endpoint-url.ts'

describe('an address', () => {
  test.each([
    '8.8.8.8/',
    '/8.8.8.8',
    '8.8.8.8/x',
    '8.8.8.8#',
    'x@8.8.8.8',
    '8.8.8.8:443',
    '8.8.8.8%eth0',
    '',
  ])('%j is none: it is more than a host, or less', text => {
    expect(addressVerdict(text, { allowPrivate: true })).toEqual({ allowed: false, range: 'not_an_address' })
  })

  test.each([
    ['fd00::5efe:808:808', 'unique_local'],
    ['fe80::5efe:808:808', 'link_local'],
    ['fe80::200:5efe:808:808', 'link_local'],
  ])('%s of a network within is refused as such, whatever public address it carries', (text, range) => {
    expect(addressVerdict(text, { allowPrivate: false })).toEqual({ allowed: false, range })
  })
})

describe('the secret of an authorization', () => {
  test('may be as long as the bound, and no longer', () => {
    const longest = 't'.repeat(authorizationBytesMax)
    expect(authorizationHeader('bearer', longest).kind).toBe('header')
    expect(authorizationHeader('bearer', `${longest}t`).kind).toBe('invalid')
  })

  test('of Basic may have a user of one character, and none without', () => {
    expect(authorizationHeader('basic', 'u:')).toEqual({ kind: 'header', value: 'Basic dTo=' })
    expect(authorizationHeader('basic', ':password').kind).toBe('invalid')
  })

  test('is an empty text where a header has none', () => {
    expect(secretsInAuthorization('Bearer')).toEqual([''])
  })
})

describe('a header of an endpoint', () => {
  test('is split at its first colon, with the blanks around both parts left out', () => {
    expect(splitHeaderLine(' x-tenant :  a:b ')).toEqual(['x-tenant', 'a:b'])
    expect(splitHeaderLine('x-tenant')).toBeNull()
  })

  test.each([
    [64, 'n'.repeat(64)],
    [65, `${'n'.repeat(64)}…`],
  ])('with a name of %i characters is told by as much of it', (length, shown) => {
    expect(checkCustomHeaders([['n'.repeat(length), '']])).toEqual({
      kind: 'invalid',
      problems: [`the header ${shown} has no value`],
    })
  })
})

describe('the URL of an endpoint', () => {
  const inCloud = { allowPrivate: false }
  const problemOf = (text: string): string => {
    const parsed = parseEndpointUrl(text, inCloud)
    return parsed.ok ? 'allowed' : parsed.problem
  }
  const long = (length: number): string => 'https://example.com/'.padEnd(length, 'p')

  test('may be as long as the bound, and no longer', () => {
    expect(problemOf(long(endpointUrlLengthMax))).toBe('allowed')
    expect(problemOf(long(endpointUrlLengthMax + 1))).toMatch(/2049 characters; at most 2048/)
  })

  test.each([
    'https://user@example.com/',
    'https://:password@example.com/',
    'https://user:password@example.com/',
  ])('%s is refused for what it holds of a person', text => {
    expect(problemOf(text)).toMatch(/user name or password/)
  })

  test('is told of the dot at its host’s end, and of no other wrong name so', () => {
    expect(problemOf('https://example.com./')).toMatch(/ends with a dot/)
    expect(problemOf('https://-example.com/')).toMatch(/no valid name/)
  })
})
