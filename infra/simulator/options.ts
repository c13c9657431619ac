import * as z from 'zod'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import { bodyFaults, transportFaults } from './faults.ts'

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be ${values.join(' or ')}` })

const number = (min: number, max: number, what = 'a number') => {
  const error = `must be ${what} from ${min} to ${max}`
  return z.number({ error }).min(min, { error }).max(max, { error })
}

const wholeNumber = (min: number, max: number, what = 'a whole number') => {
  const error = `must be ${what} from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export const pageSizeMax = 1000
/** Indexes of records fit in 32 bits, since their ids carry them. */
export const recordsMax = 1_000_000_000
const secondsMax = 366 * 86_400
const faultRight = `must be NAME:SHARE,… with ${[...transportFaults, ...bodyFaults].join(', ')} or a status of 400 to 599, and shares from 0 to 1 that add up to at most 1`
const token = z.string().regex(/^[\x21-\x7e]+$/, { error: 'must be visible ASCII without spaces' })

/** How the service shows its records: can be changed while it runs. */
const serviceShape = {
  lastId: oneOf(['position', 'timelogged']),
  order: oneOf(['honoured', 'ignored', 'ignored-on-complaints']),
  defaultOrder: oneOf(['asc', 'desc']),
  timelogged: oneOf(['s', 'ms', 'string', 'rfc3339']),
  unknownLastId: oneOf(['422', 'all', 'empty']),
  pageSize: wholeNumber(1, pageSizeMax),
  pageSizeParameter: oneOf(['honoured', 'ignored']),
  retentionSeconds: wholeNumber(1, 10 * secondsMax, 'a whole number of seconds').nullable(),
  next: oneOf(['page', 'cursor']),
  nextHost: z
    .string()
    .regex(/^[^\s/?#@]+$/, { error: 'must be HOST or HOST:PORT' })
    .nullable(),
  rateLimit: wholeNumber(0, 1_000_000, 'a whole number of requests a minute'),
  rateLimitHeaders: oneOf(['always', 'never']),
  reset: oneOf(['seconds', 'unix']),
  fault: z
    .array(
      z.object({
        fault: z.union([z.int().min(400).max(599), z.enum([...transportFaults, ...bodyFaults])], {
          error: faultRight,
        }),
        share: z.number({ error: faultRight }).min(0, { error: faultRight }).max(1, { error: faultRight }),
      }),
      { error: faultRight },
    )
    .refine(faults => faults.reduce((sum, { share }) => sum + share, 0) <= 1, { error: faultRight }),
  pathPrefix: z.string().regex(/^(\/[^\s/?#]+)*$/, { error: 'must be empty or like /api/v2' }),
  token,
  contactsToken: token.nullable(),
  auth: oneOf(['token', 'any']),
  profile: z.boolean(),
  errorBody: oneOf(['specified', 'detail', 'html', 'empty']),
} as const

/** Which records there are, and when: fixed once the simulator is made. */
const recordsShape = {
  seed: wholeNumber(0, 2 ** 32 - 1),
  startMs: z.int({ error: 'must be a time like 2026-01-31T12:00:00Z' }).nullable(),
  rate: number(0, 100_000, 'a number of records a second'),
  complaintShare: number(0, 1, 'a share').nullable(),
  count: wholeNumber(0, recordsMax).nullable(),
  backlog: wholeNumber(0, recordsMax),
  backlogSpanSeconds: wholeNumber(1, secondsMax, 'a whole number of seconds'),
  ties: wholeNumber(1, 1_000_000),
  lateSeconds: number(0, secondsMax, 'a number of seconds'),
  lateShare: number(0, 1, 'a share'),
  lagSeconds: number(0, secondsMax, 'a number of seconds'),
  records: z.array(z.record(z.string(), z.unknown())).nullable(),
  keepTimes: z.boolean(),
} as const

const optionsSchema = z.strictObject({ ...serviceShape, ...recordsShape })

export type SimulatorOptions = Readonly<z.infer<typeof optionsSchema>>
export type ServiceOptions = Pick<SimulatorOptions, keyof typeof serviceShape>

/** What a simulator in a test does unless told otherwise: no records of its own, reading A of the field notes. */
export const simulatorDefaults: SimulatorOptions = {
  lastId: 'position',
  order: 'honoured',
  defaultOrder: 'desc',
  timelogged: 's',
  unknownLastId: '422',
  pageSize: 100,
  pageSizeParameter: 'honoured',
  retentionSeconds: null,
  next: 'page',
  nextHost: null,
  rateLimit: 60,
  rateLimitHeaders: 'always',
  reset: 'seconds',
  fault: [],
  pathPrefix: '/api/v2',
  token: 'simulator-token',
  contactsToken: null,
  auth: 'any',
  profile: true,
  errorBody: 'specified',
  seed: 1,
  startMs: null,
  rate: 0,
  complaintShare: null,
  count: null,
  backlog: 0,
  backlogSpanSeconds: 86_400,
  ties: 1,
  lateSeconds: 0,
  lateShare: 0.1,
  lagSeconds: 0,
  records: null,
  keepTimes: false,
}

export type OptionProblem = { option: string; message: string }

/** Options that make no sense, all of them at once. */
export class SimulatorOptionsError extends BridgeError {
  readonly problems: readonly OptionProblem[]

  constructor(problems: readonly OptionProblem[]) {
    super({
      code: 'simulator_options',
      message: problems.map(({ option, message }) => `${option}: ${message}`).join('; '),
      hint: 'See infra/simulator/README.md for what each option takes.',
    })
    this.problems = problems
  }
}

/** Fills in the defaults and checks everything. Throws a `SimulatorOptionsError`. */
export const parseOptions = (given: Readonly<Record<string, unknown>>): SimulatorOptions => {
  const parsed = optionsSchema.safeParse({ ...simulatorDefaults, ...given })
  if (parsed.success) return parsed.data
  const problems = new Map<string, OptionProblem>()
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const option of issue.keys) problems.set(option, { option, message: 'is no option' })
    } else {
      const option = String(issue.path[0] ?? '')
      if (!problems.has(option)) problems.set(option, { option, message: issue.message })
    }
  }
  throw new SimulatorOptionsError([...problems.values()])
}
