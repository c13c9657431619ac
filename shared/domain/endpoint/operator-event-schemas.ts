import * as z from 'zod'
import { detailVersion, endpointDisabledType } from './operator-events.ts'

const isoTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .describe('ISO 8601, UTC.')

/** The detail of `endpoint.disabled`. Loose: receivers must live with additions. */
export const endpointDisabledSchema = z.looseObject({
  version: z.literal(detailVersion),
  prefix: z.string().min(1).describe('The stack that tells it.'),
  endpoint: z
    .string()
    .min(1)
    .describe('Its id. With disabledAt it names one disabling: the same may be told more than once.'),
  origin: z
    .string()
    .nullable()
    .describe('Scheme, host and port of its URL; path and query are left out, since they may hold secrets.'),
  reason: z.string().min(1).describe('answered_410 or failing_too_long; there may be others later.'),
  disabledAt: isoTime,
  failingSince: isoTime.nullable().describe('The first failure since the last success, or null.'),
})

/** The JSON Schema (draft 2020-12) of the detail, as published in `schemas/endpoint.disabled.json`. */
export const publishedOperatorSchema = (): Record<string, unknown> => ({
  title: endpointDisabledType,
  ...z.toJSONSchema(endpointDisabledSchema),
})
