import { describe, expect, it } from 'vitest'
import {
  type SuggestedAction,
  suggestedActionForBounce,
  suggestedActionForComplaint,
} from '../../../shared/domain/event/suggested-action.ts'

const hard = (
  category: string | null,
  smtp_code: number | null = null,
  enhanced_code: string | null = null,
) => suggestedActionForBounce({ kind: 'hard', category, codes: { smtp_code, enhanced_code } })

const byCategory: Record<Exclude<SuggestedAction, 'suppress_temporarily'>, string[]> = {
  suppress: ['bad-mailbox', 'inactive-mailbox', 'bad-domain', 'quota-issues', 'Bad-Mailbox', ' bad-mailbox '],
  review: [
    'content-related',
    'spam-content',
    'virus-related',
    'spam-related',
    'spam-block',
    'policy-related',
    'invalid-sender',
    'relaying-issues',
  ],
  none: [
    'no-answer-from-host',
    'routing-errors',
    'bad-connection',
    'bad-configuration',
    'protocol-errors',
    'message-expired',
    'other',
    'success',
    'constructor',
    '',
  ],
}

describe('the suggested action', () => {
  it.each(Object.entries(byCategory).flatMap(([action, all]) => all.map(category => [category, action])))(
    'for a hard bounce of category %j is %s',
    (category, action) => {
      expect(hard(category)).toBe(action)
    },
  )

  it.each([
    ['5.1.0', 'none'],
    ['5.1.1', 'suppress'],
    ['5.1.2', 'suppress'],
    ['5.1.6', 'suppress'],
    ['5.1.8', 'review'],
    ['5.1.10', 'suppress'],
    ['5.1.351', 'suppress'],
    ['5.2.1', 'suppress'],
    ['5.2.2', 'suppress'],
    ['5.2.3', 'review'],
    ['5.3.0', 'none'],
    ['5.3.4', 'review'],
    ['5.4.4', 'none'],
    ['5.5.0', 'none'],
    ['5.6.0', 'review'],
    ['5.7.1', 'review'],
    ['5.7.26', 'review'],
    ['5.7.18', 'suppress'],
    ['5.0.0', 'none'],
    ['2.1.5', 'none'],
    ['4.4.7', 'none'],
  ])('for a hard bounce without a cause in its category, by enhanced code %s, is %s', (enhanced, action) => {
    for (const category of ['other', null, 'a-new-category'])
      expect(hard(category, 550, enhanced)).toBe(action)
  })

  it.each([
    [551, 'suppress'],
    [556, 'suppress'],
    [550, 'none'],
    [552, 'none'],
    [554, 'none'],
    [null, 'none'],
  ])('for a hard bounce without category and enhanced code, by reply code %s, is %s', (code, action) => {
    expect(hard('other', code)).toBe(action)
  })

  it('follows the category where the codes say something else', () => {
    expect(hard('policy-related', 550, '5.1.1')).toBe('review')
    expect(hard('no-answer-from-host', 550, '5.1.1')).toBe('none')
  })

  it('is to suppress for a while after a soft bounce, whatever the category', () => {
    const codes = { smtp_code: 550, enhanced_code: '5.1.1' }
    expect(suggestedActionForBounce({ kind: 'soft', category: 'bad-mailbox', codes })).toBe(
      'suppress_temporarily',
    )
  })

  it('is none for what expired, and for a bounce of an unknown kind', () => {
    const codes = { smtp_code: 550, enhanced_code: '5.1.1' }
    for (const kind of ['expired', 'other'] as const) {
      expect(suggestedActionForBounce({ kind, category: 'bad-mailbox', codes })).toBe('none')
    }
  })

  it('is to suppress after a complaint', () => {
    expect(suggestedActionForComplaint).toBe('suppress')
  })
})
