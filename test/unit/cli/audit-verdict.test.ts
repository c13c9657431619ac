import { describe, expect, test } from 'vitest'
import type { AuditView } from '../../../infra/cli/audit/audit-view.ts'
import { renderAudit } from '../../../infra/cli/audit/render.ts'
import { plainLook } from '../../../infra/cli/output/look.ts'
import { noRecordCounts } from '../../../shared/domain/audit/record-counts.ts'
import type { ServiceWalk } from '../../../shared/domain/audit/walk-service.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'

const untilSecond = Date.UTC(2026, 10, 21) / 1_000
const walked = { kind: 'walked', untilSecond } as const
const refused = { kind: 'unreadable', reason: 'feedback_forbidden', status: 403, hint: 'Ask.' } as const

const viewOf = (walk: Exclude<ServiceWalk, { kind: 'interrupted' }>, missing: number): AuditView => ({
  source: { ...sourceDefaults, id: 'main', baseUrl: 'https://service.example', tokenSecret: 'token-main' },
  stream: 'bounces',
  requests: 1,
  audit: {
    ...{ kind: 'compared', fromSecond: untilSecond - 60, untilSecond, walk, missing: [] },
    records: { ...noRecordCounts, missing },
    log: { events: 0, notAtService: null, endpoints: new Map(), missing: 0, repaired: 0, named: [] },
  },
})

const verdictOf = (...views: readonly AuditView[]): string | undefined =>
  renderAudit(plainLook, views).split('\n\n').at(-1)

test('of a service of which nothing could be read an audit shows no count', () => {
  const text = renderAudit(plainLook, [viewOf(refused, 0)])
  expect(text).toContain('(feedback_forbidden). Ask.')
  expect(text.split('\n').filter(line => line.startsWith('Records'))).toEqual([
    'Records at the service  none could be read',
  ])
  expect(text).not.toContain('missing  ')
  const partly = viewOf(refused, 0)
  if (partly.audit.kind === 'not_started') throw new Error('it was started')
  const some = {
    ...partly,
    audit: { ...partly.audit, records: { ...noRecordCounts, atService: 7, inLog: 7 } },
  }
  expect(renderAudit(plainLook, [some])).toMatch(/^Records that could be read +7$/m)
})

describe('the last line of an audit', () => {
  test('says that nothing is missing only of what was read to its end', () => {
    expect(verdictOf(viewOf(walked, 0))).toBe('Nothing is missing.')
    expect(verdictOf(viewOf(walked, 0), viewOf(refused, 0))).toBe(
      'Nothing is missing of what could be compared. 1 stream could not be read to the end.',
    )
    expect(verdictOf(viewOf(walked, 2), viewOf(refused, 0))).toBe(
      '2 missing. --repair enqueues it. 1 stream could not be read to the end.',
    )
  })
})
