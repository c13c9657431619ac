import { describe, expect, test } from 'vitest'
import { cannedBytes, takeRequest } from '../../bench/dispatch/canned-server.ts'

const post = (body: string): string =>
  `POST /hook HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Last: b\r\n\r\n${body}`

describe('the server of a bench', () => {
  test('takes one request after the other, with the bytes of its body', () => {
    const first = takeRequest(Buffer.from(`${post('été')}${post('')}GET / HT`))
    expect(first?.body.toString()).toBe('été')
    expect(first?.head).toContain('X-Last: b\r\n')
    const second = takeRequest(first?.rest ?? Buffer.alloc(0))
    expect(second?.body.length).toBe(0)
    expect(second?.rest.toString()).toBe('GET / HT')
    expect(takeRequest(second?.rest ?? Buffer.alloc(0))).toBeNull()
  })

  test('waits for the whole of a body', () => {
    const whole = Buffer.from(post('0123456789'))
    for (let bytes = 0; bytes < whole.length; bytes += 1)
      expect(takeRequest(whole.subarray(0, bytes))).toBeNull()
    expect(takeRequest(whole)?.rest.length).toBe(0)
  })

  test('says how long a body is, and nothing of one that is not there', () => {
    expect(cannedBytes('200 OK', { a: 'b' }, 'été').toString()).toBe(
      'HTTP/1.1 200 OK\r\na: b\r\ncontent-length: 5\r\n\r\nété',
    )
    expect(cannedBytes('204 No Content', {}).toString()).toBe('HTTP/1.1 204 No Content\r\n\r\n')
  })
})
