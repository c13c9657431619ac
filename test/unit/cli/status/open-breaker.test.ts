import { expect, test } from 'vitest'
import { healthLines } from '../../../../infra/cli/endpoint/health.ts'
import { plainLook } from '../../../../infra/cli/output/look.ts'
import { renderStatus } from '../../../../infra/cli/status/render.ts'
import { type Endpoint, endpointDefaults } from '../../../../shared/domain/endpoint/endpoint.ts'

const nowMs = Date.UTC(2026, 10, 21)
const open = { sinceMs: nowMs - 60_000, probes: 1, nextProbeAtMs: nowMs - 1 }
const crm: Endpoint = {
  ...endpointDefaults,
  ...{ id: 'crm', url: 'https://a.example/', types: ['*'], keys: [] },
  health: { ...endpointDefaults.health, open: { ...open, because: 'failures_in_row' } },
}
const nothing = { count: 0, atLeast: false, oldestEventMs: null }

test('an endpoint with an open breaker is shown as failing, which nobody takes for well', () => {
  const value = {
    deliveries: { waiting: nothing, held: nothing, dead: nothing },
    success: { deliveries: 0, delivered: 0, bySlot: [] },
  }
  const text = renderStatus(
    plainLook,
    {
      ...{ target: { kind: 'local', dataDir: '.bridge', isRunning: true }, nowMs, sources: [], queues: null },
      endpoints: [{ endpoint: crm, found: { value, problem: null } }],
    },
    { all: false },
  )
  const row = text.split('\n').find(line => line.startsWith('crm  '))
  expect(row?.split(/ {2,}/).slice(0, 2)).toEqual(['crm', 'failing'])
})

test('why a breaker is open stands in one sentence with since when', () => {
  expect(healthLines(crm, nowMs)[0]).toMatch(
    /^breaker open since 2026-11-20 23:59:00Z \(1 min ago\), because it failed again and again; the next probe is due$/,
  )
})
