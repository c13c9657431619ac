import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localClientSettings } from '../../../infra/local/client-settings.ts'
import { createEventsClient } from '../../../shared/adapters/eventbridge/client.ts'
import { createBusEvents } from '../../../shared/adapters/eventbridge/operator-events.ts'
import {
  endpointDisabledSchema,
  publishedOperatorSchema,
} from '../../../shared/domain/endpoint/operator-event-schemas.ts'
import { type EventBus, startEventBus } from '../../integration/stack/harness/event-bus.ts'
import { sampleEndpoint } from '../support/samples.ts'

const file = new URL('../../../shared/domain/endpoint/schemas/endpoint.disabled.json', import.meta.url)
const published: unknown = JSON.parse(readFileSync(file, 'utf8'))
const validate = new Ajv2020({ allErrors: true, strict: true }).compile(Object(published))

const disabledAtMs = Date.UTC(2026, 10, 20, 9, 30)
const disabled = (id: string) =>
  sampleEndpoint({
    id,
    url: 'https://user:secret@receiver.example:8443/hooks/secret-path?token=secret',
    state: 'disabled',
    stateReason: 'answered_410',
    stateSinceMs: disabledAtMs,
  })
const ids = (count: number) => Array.from({ length: count }, (_, at) => `endpoint-${at}`)

let bus: EventBus
beforeAll(async () => {
  bus = await startEventBus()
})
afterAll(() => bus.close())
beforeEach(() => {
  bus.answer([])
  bus.refuse(null)
})

const tell = async (endpoints: ReturnType<typeof disabled>[]) => {
  const before = bus.taken.length
  const client = createEventsClient({ ...localClientSettings, endpoint: bus.endpoint })
  const results = await createBusEvents({ client, prefix: 'mail' }).tellDisabled(endpoints)
  client.destroy()
  return { results, taken: bus.taken.slice(before) }
}

describe('what the operator is told over the event bus', () => {
  it('is the documented event, without the secrets of the URL', async () => {
    const { results, taken } = await tell([disabled('shop')])
    expect(results).toEqual([{ kind: 'told' }])
    expect(taken).toHaveLength(1)
    const [{ Detail = '', ...entry } = {}] = taken
    expect(entry).toEqual({
      EventBusName: 'default',
      Source: 'feedback-bridge',
      DetailType: 'endpoint.disabled',
      Time: disabledAtMs / 1_000,
    })
    const detail: unknown = JSON.parse(Detail)
    expect(detail).toEqual({
      version: 1,
      prefix: 'mail',
      endpoint: 'shop',
      origin: 'https://receiver.example:8443',
      reason: 'answered_410',
      disabledAt: '2026-11-20T09:30:00.000Z',
      failingSince: null,
    })
    expect(Detail).not.toContain('secret')
    expect([validate(detail), validate.errors]).toEqual([true, null])
    expect(endpointDisabledSchema.safeParse(detail).error).toBeUndefined()
  })

  it('says since when it failed', async () => {
    const shop = disabled('shop')
    const health = { ...shop.health, failingSinceMs: disabledAtMs - 5 * 86_400_000 }
    const { taken } = await tell([{ ...shop, stateReason: 'failing_too_long', health }])
    const detail: unknown = JSON.parse(taken[0]?.Detail ?? '')
    expect(detail).toMatchObject({ failingSince: '2026-11-15T09:30:00.000Z', reason: 'failing_too_long' })
    expect(validate(detail)).toBe(true)
  })

  it('has a published schema that is up to date (else: node test/unit/event/write-schemas.ts)', () => {
    expect(published).toEqual(publishedOperatorSchema())
    expect(validate({ version: 1 })).toBe(false)
  })

  it('goes in requests of ten, each endpoint with a result of its own', async () => {
    const { results, taken } = await tell(ids(23).map(disabled))
    expect(results).toEqual(ids(23).map(() => ({ kind: 'told' })))
    expect(taken.map(({ Detail }) => JSON.parse(Detail).endpoint)).toEqual(ids(23))
    expect(bus.problems).toEqual([])
  })

  it('may be taken in part: what was not says why', async () => {
    bus.answer([null, 'InternalFailure', null])
    const { results, taken } = await tell(ids(3).map(disabled))
    expect(results).toEqual([
      { kind: 'told' },
      { kind: 'failed', reason: 'event_bus: InternalFailure' },
      { kind: 'told' },
    ])
    expect(taken).toHaveLength(2)
  })

  it('is tried no further where the bus takes none', async () => {
    bus.refuse('AccessDeniedException')
    const { results, taken } = await tell(ids(23).map(disabled))
    expect(results).toEqual(
      ids(10).map(() => ({ kind: 'failed', reason: 'event_bus: AccessDeniedException' })),
    )
    expect(taken).toEqual([])
  })
})
