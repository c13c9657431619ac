import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { packBody, unpackBody } from '../../../shared/adapters/dynamodb/event-body.ts'
import { eventDictionary1 } from '../../../shared/adapters/dynamodb/event-dictionary-1.ts'

it('dictionary 1 is what it always was: stored events need it to be read', () => {
  const hash = createHash('sha256').update(eventDictionary1).digest('hex')
  expect(hash).toBe('598ce3cd09c419315ec0f468f65e9998a1a196e9f73929207ea534763974b962')
})

it.each([
  ['empty', ''],
  ['small', '{"id":"evt_1","recipient":"日本語 😀"}'],
  ['large', `{"raw":"${'smtp; 550 5.1.1 '.repeat(10_000)}"}`],
])('a body that is %s unpacks to what it was', (_, body) => {
  expect(unpackBody(packBody(body))).toBe(body)
})

it('an event that was stored with dictionary 1 can still be read', () => {
  const stored = Buffer.from('IyULkJjAgaYDAA==', 'base64')
  expect(unpackBody({ encoding: 1, bytes: stored })).toBe(
    '{"id":"evt_01K","type":"email.bounce.hard","data":{"source":{"id":"main","stream":"bounces"}}}',
  )
})
