import { describe, expect, test } from 'vitest'
import { endpointId, sourceId } from '../../../infra/local/endpoint-id.ts'

describe('the id of an endpoint', () => {
  test('is the same for every spelling of one URL, and stays so from version to version', () => {
    const ids = ['https://example.com', 'HTTPS://Example.COM/', 'https://example.com:443/'].map(endpointId)
    expect(new Set(ids)).toEqual(new Set(['ep_0f115db062b7c0dd']))
  })

  test('differs by path and query', () => {
    const urls = [
      'https://example.com/',
      'https://example.com/a',
      'https://example.com/?a',
      'http://example.com/',
    ]
    expect(new Set(urls.map(endpointId)).size).toBe(4)
  })
})

test('the id of a source is that of its origin and path prefix', () => {
  const id = sourceId({ baseUrl: 'https://api.example.com', pathPrefix: '/api/v2' })
  expect(id).toMatch(/^src_[0-9a-f]{16}$/)
  expect(sourceId({ baseUrl: 'https://api.example.com/', pathPrefix: '/api/v2' })).toBe(id)
  expect(sourceId({ baseUrl: 'https://api.example.com', pathPrefix: '/api/v1' })).not.toBe(id)
})
