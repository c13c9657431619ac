import { describe, expect, test } from 'vitest'
import { goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import {
  endpointDisabledSchema,
  publishedOperatorSchema,
} from '../../../shared/domain/endpoint/operator-event-schemas.ts'
import {
  type DisabledEndpoint,
  endpointDisabledDetail,
  endpointDisabledType,
} from '../../../shared/domain/endpoint/operator-events.ts'

const disabledAtMs = Date.UTC(2026, 10, 20, 9, 30)
const disabled: DisabledEndpoint = {
  id: 'shop',
  url: 'https://receiver.example:8443/hook?token=hush',
  stateReason: 'failing_too_long',
  stateSinceMs: disabledAtMs,
  health: { ...goodHealth, failingSinceMs: disabledAtMs - 5 * 86_400_000 },
}

describe('what the operator is told of a disabled endpoint', () => {
  test('is what a person needs to find it, and nothing of its URL that may be secret', () => {
    expect(endpointDisabledDetail(disabled, 'bridge')).toEqual({
      version: 1,
      prefix: 'bridge',
      endpoint: 'shop',
      origin: 'https://receiver.example:8443',
      reason: 'failing_too_long',
      disabledAt: '2026-11-20T09:30:00.000Z',
      failingSince: '2026-11-15T09:30:00.000Z',
    })
  })

  test('has a reason, a time and no origin also where the table has none of them', () => {
    const bare = { ...disabled, url: 'no url', stateReason: null, stateSinceMs: null, health: goodHealth }
    expect(endpointDisabledDetail(bare, 'bridge')).toMatchObject({
      origin: null,
      reason: 'endpoint_disabled',
      disabledAt: '1970-01-01T00:00:00.000Z',
      failingSince: null,
    })
  })

  test('is what its published schema says', () => {
    const detail = endpointDisabledDetail(disabled, 'bridge')
    expect(endpointDisabledSchema.parse(detail)).toEqual(detail)
    expect(publishedOperatorSchema()).toMatchObject({
      title: endpointDisabledType,
      type: 'object',
      required: Object.keys(detail),
    })
    expect(endpointDisabledType).toBe('endpoint.disabled')
  })

  test.each(['disabledAt', 'failingSince'] as const)('has %s in full ISO 8601, UTC', key => {
    const detail = endpointDisabledDetail(disabled, 'bridge')
    for (const time of [
      '2026-11-20T09:30:00Z',
      '2026-11-20',
      'x2026-11-20T09:30:00.000Z',
      '2026-11-20T09:30:00.000Zx',
    ]) {
      expect(endpointDisabledSchema.safeParse({ ...detail, [key]: time }).success).toBe(false)
    }
  })
})
