import { describe, expect, it } from 'vitest'
import { apiAddress, InvalidApiAddress } from '../../../shared/adapters/feedback-api/api-address.ts'

describe('the address of the API', () => {
  it.each([
    ['https://api.example.com', '/api/v2', 'https://api.example.com/api/v2/bounces'],
    ['https://api.example.com/', 'api/v2/', 'https://api.example.com/api/v2/bounces'],
    ['http://localhost:8080/mail//', '/api/v1', 'http://localhost:8080/mail/api/v1/bounces'],
    ['https://api.example.com', '', 'https://api.example.com/bounces'],
    ['https://api.example.com', '//evil.example/x', 'https://api.example.com/evil.example/x/bounces'],
  ])('joins %s and %s', (baseUrl, prefix, expected) => {
    expect(apiAddress(baseUrl, prefix).url('/bounces', '').href).toBe(expected)
  })

  it.each(['@evil.example/', '//evil.example/', '#@evil.example', 'a=b c"<>é\r\nx: y', '?x', '/../..'])(
    'keeps origin and path whatever the query is: %s',
    query => {
      const url = apiAddress('https://api.example.com', '/api/v2').url('/bounces', query)
      expect(`${url.origin}${url.pathname}`).toBe('https://api.example.com/api/v2/bounces')
      expect(url.href).toMatch(/^[\x21-\x7e]+$/)
    },
  )

  it.each([
    'api.example.com',
    '',
    'ftp://api.example.com',
    'file:///x',
    'https://u:hidden@h',
    'https://h?token=hidden',
    'https://h#hidden',
  ])('refuses "%s" as a base URL, without repeating it', baseUrl => {
    const made = () => apiAddress(baseUrl, '/api/v2')
    expect(made).toThrow(InvalidApiAddress)
    expect(made).not.toThrow(/hidden/)
  })
})
