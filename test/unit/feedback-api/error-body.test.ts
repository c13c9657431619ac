import { describe, expect, it } from 'vitest'
import { readErrorBody } from '../../../shared/adapters/feedback-api/error-body.ts'
import { createMask } from '../../../shared/adapters/feedback-api/mask.ts'

const mask = createMask(['secret-token'])
const read = (body: string) => readErrorBody(body, mask)

describe('the body of an error', () => {
  it('is read by field, and what belongs to no field apart', () => {
    const body = {
      last_id: ['Not a UUID.', 'Unknown.'],
      page: 'Not a number.',
      non_field_errors: ['Too much.'],
    }
    expect(read(JSON.stringify(body))).toEqual({
      said: 'Too much.; last_id: Not a UUID. Unknown.; page: Not a number.',
      fields: { last_id: ['Not a UUID.', 'Unknown.'], page: ['Not a number.'] },
      nonFieldErrors: ['Too much.'],
    })
  })

  it.each([
    ['a list of errors', '{"errors": ["Too many requests.", "Wait."]}', ['Too many requests.', 'Wait.']],
    ['a single error', '{"errors": "Too many requests."}', ['Too many requests.']],
    ['a detail', '{"detail": "Invalid token."}', ['Invalid token.']],
  ])('is read where it is %s', (_, body, nonFieldErrors) => {
    expect(read(body)).toEqual({ said: nonFieldErrors.join('; '), fields: {}, nonFieldErrors })
  })

  it.each([
    ['HTML', '<html><h1>Bad Gateway</h1></html>'],
    ['an object of something else', '{"code":{"a":1}}'],
    ['an array', '[1,2]'],
    ['plain text', 'no'],
    ['JSON that breaks off', '{"detail": "Inv'],
    ['an empty object', '{}'],
  ])('is shown as it is where it is %s', (_, body) => {
    expect(read(body)).toEqual({ said: body, fields: {}, nonFieldErrors: [] })
  })

  it('is nothing where it is empty', () => {
    expect(read(' \n').said).toBe('')
  })

  it('holds the token nowhere, not even as the name of a field', () => {
    const body = JSON.stringify({
      'secret-token': ['secret-token jo@example.com'],
      non_field_errors: ['secret-token'],
    })
    const all = JSON.stringify(read(body))
    expect(all).not.toContain('secret-token')
    expect(all).not.toContain('jo@')
  })

  it('is bounded: fields, messages, characters', () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, field) => [`f${field + 1}`, Array(100).fill('x'.repeat(1000))]),
    )
    const { said, fields } = read(JSON.stringify(many))
    expect(said.length).toBe(500)
    expect(Object.keys(fields).length).toBe(20)
    expect(Object.values(fields).map(all => all.map(message => message.length))).toEqual(
      Array(20).fill(Array(10).fill(500)),
    )
  })

  it('takes a field of any name for a field', () => {
    expect(Object.keys(read('{"constructor":["a"],"toString":["b"]}').fields)).toEqual([
      'constructor',
      'toString',
    ])
  })

  it('is read at any depth', () => {
    const deep = `{"detail":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
    expect(read(deep).said).toBe(deep.slice(0, 500))
  })
})
