import * as z from 'zod'
import {
  declaredHeadersValue,
  heartbeatValue,
  inFlightValue,
  perSecondValue,
  schemeValue,
} from '../endpoint/delivery-values.ts'
import {
  categoriesValue,
  domainsValue,
  idValue,
  sharedValues,
  sourceIdsValue,
  yesNoValue,
} from '../values.ts'

export const fileVersion = 1

/** Numbers and truths as they are written on the command line, whose checks these settings share. */
const written = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a single value' })
  .transform(value => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)))

const single = <S extends z.ZodType<unknown, string>>(check: S) => written.pipe(check)

/** A list of YAML, or a text with commas. */
const list = <S extends z.ZodType<unknown, string>>(check: S) =>
  z
    .union([z.string(), z.array(z.string())], { error: 'must be a list of texts' })
    .transform(value => (typeof value === 'string' ? value : value.join(',')))
    .pipe(check)

/** Settings have the names of the flags. What is left out has its default, but for states: these stay as they are. */
export const sourceSchema = z.strictObject({
  url: single(sharedValues['source-url']),
  'path-prefix': single(sharedValues['path-prefix']).optional(),
  'auth-scheme': single(sharedValues['auth-scheme']).optional(),
  'include-soft': single(yesNoValue).optional(),
  'page-size': single(sharedValues['page-size']).optional(),
  'start-at': single(sharedValues['start-at']).optional(),
  'poll-every': single(sharedValues['poll-every']).optional(),
  overlap: single(sharedValues.overlap).optional(),
  'requests-per-minute': single(sharedValues['requests-per-minute']).optional(),
  paused: single(yesNoValue).optional(),
})

export const endpointSchema = z.strictObject({
  /** Judged with the plan: what a laptop may have, a stack may not. */
  url: single(z.string().min(1, { error: 'must be a URL' })),
  types: list(sharedValues.types).optional(),
  'sender-domains': list(domainsValue).optional(),
  'recipient-domains': list(domainsValue).optional(),
  'bounce-categories': list(categoriesValue).optional(),
  sources: list(sourceIdsValue).optional(),
  /** A header without a value keeps the one that it has. */
  headers: declaredHeadersValue.optional(),
  /** By its scheme alone: what is sent is a secret. */
  authorization: single(schemeValue).optional(),
  'max-per-second': single(perSecondValue).optional(),
  'max-in-flight': single(inFlightValue).optional(),
  'heartbeat-every': single(heartbeatValue).optional(),
  disabled: single(yesNoValue).optional(),
  /** Says that two endpoints with one URL are meant. */
  'same-url': single(yesNoValue).optional(),
})

const byId = <S extends z.ZodType>(schema: S) =>
  z
    .record(idValue, schema, { error: 'must be settings by id' })
    .nullish()
    // Nothing under a title is no word on what there is: it must not become the removal of everything.
    .transform(value => value ?? null)

export const fileSchema = z.strictObject({
  version: z.literal(fileVersion, { error: `must be ${fileVersion}` }),
  sources: byId(sourceSchema),
  endpoints: byId(endpointSchema),
})

export type DeclaredSource = z.output<typeof sourceSchema>
export type DeclaredEndpoint = z.output<typeof endpointSchema>
/** What a file declares; null is a section that it does not have. */
export type Declared = z.output<typeof fileSchema>
