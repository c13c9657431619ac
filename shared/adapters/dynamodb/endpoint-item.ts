import * as z from 'zod'
import { type Endpoint, endpointDefaults } from '../../domain/endpoint/endpoint.ts'
import { type EndpointHealth, goodHealth } from '../../domain/endpoint/endpoint-health.ts'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'

const listSchema = z.array(z.string()).nullable()

/** What came later has a default: an endpoint that an earlier version put lacks it. */
const settingsSchema = z.object({
  url: z.string(),
  types: z.array(z.string()),
  filters: z.object({
    senderDomains: listSchema,
    recipientDomains: listSchema,
    bounceCategories: listSchema,
    sources: listSchema,
  }),
  keys: z.array(
    z.object({ version: z.int(), secret: z.string().nullable(), signsUntilMs: z.int().nullable() }),
  ),
  limits: z
    .object({ maxPerSecond: z.number().nullable(), maxInFlight: z.int().nullable() })
    .default(endpointDefaults.limits),
  headers: z.record(z.string(), z.string()).default(endpointDefaults.headers),
  authorization: z
    .object({ scheme: z.enum(['basic', 'bearer']), secret: z.string() })
    .nullable()
    .default(endpointDefaults.authorization),
  heartbeatEverySeconds: z.int().nullable().default(endpointDefaults.heartbeatEverySeconds),
})

const healthSchema = z.object({
  failuresInRow: z.int(),
  failingSinceMs: z.int().nullable(),
  window: z.object({ sinceMs: z.int(), failures: z.int(), successes: z.int() }),
  open: z
    .object({
      sinceMs: z.int(),
      because: z.enum(['failures_in_row', 'failing_share']),
      probes: z.int(),
      nextProbeAtMs: z.int(),
    })
    .nullable(),
  pausedUntilMs: z.int().nullable(),
  readySinceMs: z.int().nullable(),
})

const itemSchema = z.object({
  v: z.literal(itemVersion),
  sk: z.string(),
  settings: jsonAttribute(settingsSchema),
  state: z.enum(['active', 'disabled', 'removed']),
  stateReason: z.string().nullable(),
  stateSinceMs: z.int().nullable().default(null),
  /** Names the write that set the state. */
  stateWriteId: z.string(),
  slow: z.boolean(),
  health: jsonAttribute(healthSchema).optional(),
  /** Apart from the health, so that a condition can compare it. */
  healthVersion: z.int().default(goodHealth.version),
})

export type EndpointItem = { endpoint: Endpoint; stateWriteId: string }

export const readEndpointItem = (item: unknown): EndpointItem => {
  const parsed = parseItem('endpoint', itemSchema, item)
  const { sk, settings, state, stateReason, stateSinceMs, slow, stateWriteId } = parsed
  const health = { ...goodHealth, ...parsed.health, version: parsed.healthVersion }
  return { endpoint: { id: sk, ...settings, state, stateReason, stateSinceMs, slow, health }, stateWriteId }
}

/** An endpoint's settings as text. */
export const settingsText = (endpoint: Endpoint): string => {
  const { id, state, stateReason, stateSinceMs, slow, health, ...settings } = endpoint
  return JSON.stringify(settings)
}

/** A health as text, without its version. */
export const healthText = ({ version, ...health }: EndpointHealth): string => JSON.stringify(health)
