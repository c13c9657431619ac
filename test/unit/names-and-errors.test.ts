import { describe, expect, test } from 'vitest'
import { BridgeError, faultOf, framesOf } from '../../shared/domain/bridge-error.ts'
import { nearestName } from '../../shared/domain/nearest-name.ts'
import { notationsOf } from '../../shared/domain/secret-notations.ts'
import {
  authorizationSecretName,
  masterSecretName,
  signingSecretName,
  tokenSecretName,
} from '../../shared/domain/secret-store.ts'

describe('the name that may have been meant', () => {
  test.each([
    ['endpont', ['endpoint', 'events'], 'endpoint'],
    ['evnets', ['endpoint', 'events'], 'events'],
    ['ENDPOINT', ['endpoint'], 'endpoint'],
    ['status', ['sources', 'statues', 'status'], 'status'],
    ['abcdefgh', ['abcdexyz', 'abcdwxyz'], 'abcdexyz'],
    ['abcdefghij', ['abcdewxyzj'], null],
    ['xx', ['xxyy'], null],
    ['xxy', ['xxyzz'], 'xxyzz'],
    ['zzzstatus', ['status'], null],
    ['statuszzz', ['status'], null],
    ['zstatusz', ['status'], 'status'],
    ['', ['a'], null],
    ['anything', [], null],
  ])('of %j among %j is %j', (typed, names, name) => {
    expect(nearestName(typed, names)).toBe(name)
  })
})

describe('the names of secrets', () => {
  test('begin with what says who may read them', () => {
    expect([
      masterSecretName,
      tokenSecretName('main'),
      signingSecretName('shop', 2),
      authorizationSecretName('shop'),
    ]).toEqual(['signing-master', 'token-main', 'signing-shop-2', 'authorization-shop'])
  })
})

describe('the notations of a secret', () => {
  test('are all in which an answer may echo it, each once, the longest first', () => {
    const notations = notationsOf('a/"ÿ>')
    expect(notations.toSorted()).toEqual(
      [
        'a/"ÿ>',
        'a%2F%22%C3%BF%3E',
        'a%2f%22%c3%bf%3e',
        'a/\\"ÿ>',
        'a\\/\\"ÿ>',
        'YS8iw78+',
        'YS8iw78-',
        'YS8iw78%2B',
        'YS8iw78%2b',
      ].toSorted(),
    )
    expect(notations.map(({ length }) => length)).toEqual(
      notations.map(({ length }) => length).toSorted((one, other) => other - one),
    )
  })

  test('have base64 with its padding and without, and with its slashes escaped', () => {
    expect(notationsOf('?')).toEqual(expect.arrayContaining(['Pw==', 'Pw', 'Pw%3D%3D', 'Pw%3d%3d']))
    expect(notationsOf('>>>>')).toEqual(expect.arrayContaining(['Pj4+Pg==', 'Pj4+Pg', 'Pj4-Pg']))
    expect(notationsOf('???')).toEqual(expect.arrayContaining(['Pz8/', 'Pz8\\/', 'Pz8_']))
  })
})

describe('an error of ours', () => {
  const fault = { code: 'a_code', message: 'what', hint: 'Do this.' }

  test('has its cause where it has one, and no cause else', () => {
    const cause = new Error('why')
    expect(new BridgeError({ ...fault, cause }).cause).toBe(cause)
    expect('cause' in new BridgeError(fault)).toBe(false)
  })

  test('is told by its code and hint', () => {
    expect(faultOf(new BridgeError(fault))).toEqual({ reason: 'a_code', hint: 'Do this.' })
  })

  const thrown = (stack: string | undefined, message = 'jo@example.com') => {
    const error = new TypeError(message)
    Object.defineProperty(error, 'stack', { value: stack })
    return error
  }
  const place = '    at work (/srv/shared/domain/a-file.ts:12:34)'

  test('of another kind is told by its class and place, without its message', () => {
    const error = thrown(`TypeError: jo@example.com\n${place}\n    at /srv/b.ts:1:2`)
    expect(faultOf(error)).toEqual({
      reason: 'unexpected',
      hint: 'An unexpected TypeError at a-file.ts:12; please report it.',
    })
    expect(framesOf(error)).toEqual(['at work (/srv/shared/domain/a-file.ts:12:34)', 'at /srv/b.ts:1:2'])
  })

  test.each([
    ['has none', undefined],
    ['has another message by now', `TypeError: other\n${place}`],
    ['has no frames', 'TypeError: jo@example.com'],
  ])('of another kind is told without a place where its stack %s', (_, stack) => {
    expect(framesOf(thrown(stack))).toEqual([])
    expect(faultOf(thrown(stack)).hint).toBe('An unexpected TypeError; please report it.')
  })

  test('has its place also where its message is empty, and lines like frames within a message are none', () => {
    expect(framesOf(thrown(`TypeError\n${place}`, ''))).toEqual([place.trim()])
    const message = `x\n    at evil (/srv/evil.ts:1:1)`
    expect(framesOf(thrown(`TypeError: ${message}\n${place}\n  see at home`, message))).toEqual([
      place.trim(),
    ])
  })

  test.each([
    ['a text', 'string'],
    [null, 'object'],
    [undefined, 'undefined'],
  ])('that is none is told by its kind', (error, kind) => {
    expect(faultOf(error).hint).toBe(`An unexpected ${kind}; please report it.`)
    expect(framesOf(error)).toEqual([])
  })
})
