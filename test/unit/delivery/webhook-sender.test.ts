import { expect, test } from 'vitest'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import { isTimeout } from '../../../shared/domain/delivery/webhook-sender.ts'

test('of all reasons, those are time-outs whose attempt lasted until its time was over', () => {
  expect(Object.keys(deliveryReasons).filter(isTimeout).sort()).toEqual([
    'body_timeout',
    'connect_timeout',
    'connections_busy',
    'dns_timeout',
    'head_timeout',
    'timeout',
    'tls_timeout',
  ])
  expect(isTimeout('http_504')).toBe(false)
})
