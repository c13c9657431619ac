import * as z from 'zod'
import { deadlineMsMax, disableAfterDaysMax } from '../../functions/dispatcher/config.ts'
import { pollEverySecondsMax } from '../../functions/poller/config.ts'
import { BridgeError } from '../../shared/domain/bridge-error.ts'
import { nearestName } from '../../shared/domain/nearest-name.ts'
import { listOf, matching, oneOf, retention, wholeNumber, yesOrNo } from './setting-values.ts'

/** Lambda's own bounds for one event source (Lambda API, "ScalingConfig"). */
const laneConcurrency = { min: 2, max: 1_000 }

/**
 * From 3 letters, since a table's name has so many; to 40, so that a function's fits in 64. "aws" is kept by AWS for
 * log groups and secrets of its own.
 */
const prefix = matching(
  /^(?!aws$)[a-z](?:[a-z0-9]|-(?!-)){1,38}[a-z0-9]$/,
  '3 to 40 lower-case letters, digits and single dashes, beginning with a letter',
)

/** Every setting of the stack, with what it means: parsed by it, and printed from it in the README. */
const settingsSchema = z.object({
  prefix: prefix
    .default('feedback-bridge')
    .describe('Names the stack and all that is in it: two of them live in one account'),
  pollEverySeconds: wholeNumber({ min: 1, max: pollEverySecondsMax })
    .default(5)
    .describe('No source is polled more often; from 120 on, the poller is started less often too'),
  memoryMb: wholeNumber({ min: 128, max: 3_008 })
    .default(256)
    .describe('Memory of each function, and with it its share of a CPU'),
  batchingWindowSeconds: wholeNumber({ min: 0, max: 300 })
    .default(1)
    .describe('How long a batch of deliveries may be gathered: fewer invocations for later deliveries'),
  logRetentionDays: retention.default(30).describe('How long logs are kept'),
  logLevel: oneOf(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO').describe('The least that is logged'),
  alarmEmail: z
    .email('must be an e-mail address')
    .optional()
    .describe('Where alarms are sent: AWS asks it to confirm first. Not with `alarmTopicArn`'),
  alarmTopicArn: matching(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/, 'the ARN of an SNS topic')
    .optional()
    .describe('A topic of your own for alarms. Not with `alarmEmail`'),
  removalPolicy: oneOf(['retain', 'destroy'])
    .default('retain')
    .describe(
      'What becomes of table, master secret and logs when the stack is deleted; `destroy` also lifts the protection of the table',
    ),
  kmsKeyArn: matching(
    /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/(?:[0-9a-f-]{36}|mrk-[0-9a-f]{32})$/,
    'the ARN of a KMS key (not of an alias)',
  )
    .optional()
    .describe(
      "A key of your own for table, queues, master secret and logs; its policy has to let CloudWatch Logs and CloudWatch alarms use it. Without it, AWS's keys",
    ),
  vpcId: matching(/^vpc-(?:[0-9a-f]{8}|[0-9a-f]{17})$/, 'the id of a VPC, as vpc-0123abcd')
    .optional()
    .describe(
      'A VPC for the functions, which must lead to the internet. With `subnetIds` and `securityGroupIds`',
    ),
  subnetIds: listOf(
    /^subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
    'ids of subnets with commas between them, as subnet-0123abcd,subnet-4567abcd',
  )
    .optional()
    .describe('Its private subnets'),
  securityGroupIds: listOf(
    /^sg-(?:[0-9a-f]{8}|[0-9a-f]{17})$/,
    'ids of security groups with commas between them, as sg-0123abcd',
  )
    .optional()
    .describe('Security groups for the functions: they call out and are never called'),
  // 20: at 10, two endpoints that turn slow at once hold up the others for their first minute (`npm run bench -- isolation`).
  fastConcurrency: wholeNumber(laneConcurrency)
    .default(20)
    .describe('Batches of the fast lane that are delivered at once'),
  slowConcurrency: wholeNumber(laneConcurrency)
    .default(5)
    .describe('The same for endpoints that are slow to answer'),
  reservedConcurrency: wholeNumber({ min: 4, max: 10_000 })
    .optional()
    .describe("What of the account's concurrency is kept for the dispatcher: both lanes together at least"),
  deadlineSeconds: wholeNumber({ min: 1, max: deadlineMsMax / 1_000 })
    .default(15)
    .describe('For one attempt, from DNS to the end of the answer'),
  disableAfterDays: wholeNumber({ min: 1, max: disableAfterDaysMax })
    .default(5)
    .describe('An endpoint to which nothing could be delivered for so long is disabled'),
  simulator: yesOrNo
    .default(false)
    .describe('Also deploys our stand-in for the email service, to try the bridge without it'),
})

export type StackSettings = z.output<typeof settingsSchema>

export type SettingDefinition = { name: string; default: string; meaning: string }

/** The settings as a table; the README's is kept equal to it. */
export const settingTable: readonly SettingDefinition[] = Object.entries(settingsSchema.shape).map(
  ([name, schema]) => {
    const given = schema.safeParse(undefined).data
    return { name, default: given === undefined ? '' : String(given), meaning: schema.description ?? '' }
  },
)

const settingNames = settingTable.map(({ name }) => name)

/** Settings that the stack can't be made with. */
export class SettingsError extends BridgeError {}

/** Reads the settings from all of CDK's context. Throws a `SettingsError` that tells everything that is wrong. */
export const parseSettings = (context: Readonly<Record<string, unknown>>): StackSettings => {
  const given = Object.fromEntries(Object.entries(context).filter(([name]) => !isOfCdk(name)))
  const parsed = settingsSchema.safeParse(given)
  const problems = [
    ...unknownNames(given),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => problemOf(String(path[0]), message, given)),
    ...togetherRules.flatMap(rule => rule(given)),
  ]
  if (parsed.success && problems.length === 0) return parsed.data
  throw new SettingsError({
    code: 'invalid_settings',
    message: [
      `${problems.length === 1 ? 'A setting is' : `${problems.length} settings are`} wrong:`,
      ...problems.map(problem => `  ${problem}`),
    ].join('\n'),
    hint: 'Settings are given as -c name=value, or in cdk.json under "context"; README.md lists them with their defaults.',
  })
}

/**
 * Keys that CDK keeps in the context for itself: feature flags and switches (`@aws-cdk/…`, `aws:cdk:…`,
 * `aws-cdk:…`), what look-ups found (`availability-zones:account=…`), and what its commands write into cdk.json.
 */
const isOfCdk = (name: string): boolean =>
  /[@:]/.test(name) ||
  name.startsWith('cdk-') ||
  ['cli-telemetry', 'acknowledged-issue-numbers'].includes(name)

const unknownNames = (given: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(given)
    .filter(name => !settingNames.includes(name))
    .map(name => {
      const nearest = nearestName(name, settingNames)
      return `${name} is no setting${nearest === null ? '' : `; did you mean ${nearest}?`}`
    })

const shownLettersMax = 60

const problemOf = (name: string, message: string, given: Readonly<Record<string, unknown>>): string => {
  const value = textOf(given[name])
  const shown = value.length > shownLettersMax ? `${value.slice(0, shownLettersMax)}…` : value
  return `${name} ${message}, not ${shown}`
}

const textOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? 'nothing'
  } catch {
    // It recurses, and what is parsed may be deeper than any stack.
    return 'what is nested so deep'
  }
}

type Rule = (given: Readonly<Record<string, unknown>>) => string[]

/** What must fit together is looked at where each of it is right by itself, so that all problems come at once. */
const togetherRules: readonly Rule[] = [
  given =>
    given['alarmEmail'] === undefined || given['alarmTopicArn'] === undefined
      ? []
      : ['alarmEmail and alarmTopicArn exclude each other: subscribe the address to the topic'],
  given => {
    const names = ['vpcId', 'subnetIds', 'securityGroupIds']
    const missing = names.filter(name => given[name] === undefined)
    return missing.length === 0 || missing.length === names.length
      ? []
      : [`${missing.join(' and ')} must be given too: a VPC needs ${names.join(', ')}`]
  },
  given => {
    const lanes = settingsSchema
      .pick({ fastConcurrency: true, slowConcurrency: true, reservedConcurrency: true })
      .safeParse(given).data
    if (lanes?.reservedConcurrency === undefined) return []
    // Beyond it Lambda throttles, and a throttled message counts as received (Lambda Developer Guide, "Configuring
    // scaling behavior for SQS event source mappings": reserved is to be at least the sum over all event sources).
    const needed = lanes.fastConcurrency + lanes.slowConcurrency
    return lanes.reservedConcurrency >= needed
      ? []
      : [
          `reservedConcurrency must be ${needed} at least, fastConcurrency and slowConcurrency together, not ${lanes.reservedConcurrency}`,
        ]
  },
]
