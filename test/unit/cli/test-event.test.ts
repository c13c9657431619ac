import { describe, expect, test } from 'vitest'
import { factsOfBody } from '../../../shared/domain/event/body-facts.ts'
import { eventSchemas } from '../../../shared/domain/event/event-schemas.ts'
import { eventTypes } from '../../../shared/domain/event/event-types.ts'
import { testEvent } from '../../../shared/domain/event/test-event.ts'

const of = (type: (typeof eventTypes)[number], uuid = 'u') =>
  testEvent({ type, endpointId: 'crm', uuid, second: 1_795_132_800 })

describe('the event of a test', () => {
  test.each(eventTypes)('%s is one of its type by the published schema, and names no real source', type => {
    const { id, body } = of(type)
    const event = JSON.parse(body)
    expect(eventSchemas[type].safeParse(event).error).toBeUndefined()
    expect([event.id, event.type, event.timestamp]).toEqual([id, type, '2026-11-20T00:00:00.000Z'])
    if (type.startsWith('email.')) expect(event.data.source.id).toBe('bridge-test')
    // RFC 2606: nobody's addresses.
    const domains = [...body.matchAll(/@([\w.-]+)/g)].map(match => match[1])
    expect(domains.filter(domain => !/(^|\.)example\.(com|org)$/.test(domain ?? ''))).toEqual([])
  })

  test('has an id of its own each time', () => {
    expect(of('webhook.test', 'a').id).not.toBe(of('webhook.test', 'b').id)
  })

  test('suggests what its type says', () => {
    const suggested = eventTypes.flatMap(type => {
      const { data } = JSON.parse(of(type).body)
      return type.startsWith('email.') ? [[type, data.suggested_action]] : []
    })
    expect(suggested).toEqual([
      ['email.bounce.hard', 'suppress'],
      ['email.bounce.soft', 'suppress_temporarily'],
      ['email.bounce.expired', 'none'],
      ['email.bounce.other', 'none'],
      ['email.complaint', 'suppress'],
    ])
  })
})

test('what filters need of an event is read from its body as it was when it was built', () => {
  expect(factsOfBody(of('email.bounce.soft').body)).toEqual({
    senderDomain: 'example.org',
    recipientDomain: 'example.com',
    bounceCategory: 'quota-issues',
  })
  expect(factsOfBody(of('email.complaint').body)).toMatchObject({ bounceCategory: null })
  expect([factsOfBody('{'), factsOfBody(of('webhook.test').body)]).toEqual([null, null])
})
