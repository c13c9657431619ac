import { describe, expect, it } from 'vitest'
import { noFilters, type SubscriptionFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventTypes } from '../../../shared/domain/event/event-types.ts'
import { matchesEndpoint, parseTypePattern } from '../../../shared/domain/event/subscriptions.ts'

const event = {
  type: 'email.bounce.hard',
  sourceId: 'main',
  facts: {
    senderDomain: 'acme.io',
    recipientDomain: 'xn--bcher-kva.example',
    bounceCategory: 'Bad-Mailbox',
    suggestedAction: 'suppress',
  },
} as const
const unknown = {
  ...event,
  facts: { senderDomain: null, recipientDomain: null, bounceCategory: null, suggestedAction: 'none' },
} as const
const filtered = (filters: Partial<SubscriptionFilters>) => ({
  types: ['*'],
  filters: { ...noFilters, ...filters },
})
const typesMatching = (pattern: string) =>
  [...eventTypes, 'email.bouncefoo', 'email.bounce'].filter(type =>
    matchesEndpoint({ ...event, type }, { types: [pattern], filters: noFilters }),
  )

describe('the types of a subscription', () => {
  it.each([
    ['email.bounce.hard', ['email.bounce.hard']],
    [
      'email.bounce.*',
      ['email.bounce.hard', 'email.bounce.soft', 'email.bounce.expired', 'email.bounce.other'],
    ],
    ['*', [...eventTypes, 'email.bouncefoo', 'email.bounce']],
    ['webhook.*', ['webhook.test', 'webhook.heartbeat']],
    ['email.complaint', ['email.complaint']],
    ['email.bounce*', []],
    ['email', []],
    ['', []],
  ])('%j fit exactly %j', (pattern, types) => {
    expect(typesMatching(pattern)).toEqual(types)
  })

  it('are alternatives, and none of them means no event', () => {
    expect(matchesEndpoint(event, { types: ['email.complaint', 'email.bounce.*'], filters: noFilters })).toBe(
      true,
    )
    expect(matchesEndpoint(event, { types: [], filters: noFilters })).toBe(false)
  })
})

describe('the filters of a subscription', () => {
  it.each([
    [{ sources: ['main'] }, true],
    [{ sources: ['Main'] }, false],
    [{ sources: ['other', 'main'] }, true],
    [{ senderDomains: ['ACME.io'] }, true],
    [{ senderDomains: ['acme.io.'] }, true],
    [{ senderDomains: ['io'] }, false],
    [{ senderDomains: ['mail.acme.io'] }, false],
    [{ recipientDomains: ['BÜCHER.example'] }, true],
    [{ recipientDomains: ['acme.io'] }, false],
    [{ bounceCategories: ['bad-mailbox'] }, true],
    [{ bounceCategories: ['quota-issues'] }, false],
    [{ bounceCategories: [] }, false],
    [{ senderDomains: ['acme.io'], bounceCategories: ['quota-issues'] }, false],
    [{ senderDomains: ['acme.io'], bounceCategories: ['bad-mailbox'], sources: ['main'] }, true],
  ])('%j let the event pass: %s', (filters, passes) => {
    expect(matchesEndpoint(event, filtered(filters))).toBe(passes)
  })

  it('let nothing pass that is unknown where they ask for it', () => {
    expect(matchesEndpoint(unknown, filtered({ senderDomains: ['acme.io'] }))).toBe(false)
    expect(matchesEndpoint(unknown, filtered({ recipientDomains: ['acme.io'] }))).toBe(false)
    expect(matchesEndpoint(unknown, filtered({ bounceCategories: ['other'] }))).toBe(false)
    expect(matchesEndpoint(unknown, filtered({ sources: ['main'] }))).toBe(true)
  })
})

describe('a type pattern that a person wrote', () => {
  it.each([...eventTypes, '*', 'email.*', 'email.bounce.*', 'webhook.*'])('%s is taken', text => {
    expect(parseTypePattern(` ${text} `)).toEqual({ kind: 'pattern', pattern: text })
  })

  it.each([
    'email.bounced',
    'email',
    'email.bounce',
    'email.bounce.',
    'email.bounce*',
    '*.hard',
    'email.*.hard',
    '**',
    '',
    'EMAIL.*',
    'sms.*',
  ])('%j is refused, with the types there are', text => {
    const parsed = parseTypePattern(text)
    const problem = parsed.kind === 'invalid' ? parsed.problem : ''
    for (const type of eventTypes) expect(problem).toContain(type)
    expect(problem).toContain(JSON.stringify(text))
  })
})
