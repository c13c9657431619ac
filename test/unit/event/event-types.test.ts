import { describe, expect, it } from 'vitest'
import { eventTypeOf, eventTypes } from '../../../shared/domain/event/event-types.ts'
import { recordWith } from './real-records.ts'

describe('the type of an event', () => {
  it.each([
    ['h', 'email.bounce.hard'],
    ['s', 'email.bounce.soft'],
    ['e', 'email.bounce.expired'],
    ['o', 'email.bounce.other'],
    ['H', 'email.bounce.other'],
    ['', 'email.bounce.other'],
    [null, 'email.bounce.other'],
    [7, 'email.bounce.other'],
    [{ h: 1 }, 'email.bounce.other'],
    ['__proto__', 'email.bounce.other'],
  ])('of a bounce_type %j is %s', (bounce_type, type) => {
    expect(eventTypeOf(recordWith({ bounce_type }), 'bounces')).toBe(type)
  })

  it('of a bounce without bounce_type is other', () => {
    expect(eventTypeOf(recordWith({}), 'bounces')).toBe('email.bounce.other')
  })

  it('of a complaint is complaint, whatever its fields', () => {
    expect(eventTypeOf(recordWith({ bounce_type: 'h' }), 'complaints')).toBe('email.complaint')
  })

  it('is one of seven', () => {
    expect(eventTypes).toHaveLength(7)
  })
})
