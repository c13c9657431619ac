import { describe, expect, test } from 'vitest'
import { parseSettings, SettingsError, settingTable } from '../../../infra/stack/settings.ts'

/** All that is wrong, line by line. */
const problemsOf = (context: Record<string, unknown>): string[] => {
  try {
    parseSettings(context)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message
      .split('\n')
      .slice(1)
      .map(line => line.trim())
  }
  return []
}

const vpc = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: 'subnet-0123abcd, subnet-4567abcd',
  securityGroupIds: 'sg-0123abcd',
}

describe('the settings', () => {
  test('all have a default, or none is needed', () => {
    expect(parseSettings({})).toEqual({
      prefix: 'feedback-bridge',
      pollEverySeconds: 5,
      memoryMb: 256,
      batchingWindowSeconds: 1,
      logRetentionDays: 30,
      logLevel: 'INFO',
      removalPolicy: 'retain',
      fastConcurrency: 20,
      slowConcurrency: 5,
      deadlineSeconds: 15,
      disableAfterDays: 5,
      simulator: false,
    })
  })

  test('are read from the text of -c as from the values of cdk.json', () => {
    const asText = { pollEverySeconds: '60', simulator: 'true', reservedConcurrency: '30', ...vpc }
    const asValues = {
      pollEverySeconds: 60,
      simulator: true,
      reservedConcurrency: 30,
      ...vpc,
      subnetIds: ['subnet-0123abcd', 'subnet-4567abcd'],
      securityGroupIds: ['sg-0123abcd'],
    }
    expect(parseSettings(asText)).toEqual(parseSettings(asValues))
    expect(parseSettings(asText)).toMatchObject(asValues)
  })

  test.for([
    ['prefix', 'abc', 'a'.repeat(40)],
    ['pollEverySeconds', '1', '3600'],
    ['memoryMb', '128', '3008'],
    ['batchingWindowSeconds', '0', '300'],
    ['logRetentionDays', '1', '3653'],
    ['logLevel', 'DEBUG', 'ERROR'],
    ['removalPolicy', 'retain', 'destroy'],
    ['alarmEmail', 'on-call@example.com', 'a+b@example.org'],
    [
      'alarmTopicArn',
      'arn:aws:sns:eu-west-1:123456789012:on-call',
      'arn:aws-cn:sns:cn-north-1:123456789012:x',
    ],
    [
      'kmsKeyArn',
      'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef',
      'arn:aws:kms:eu-west-1:123456789012:key/mrk-0123456789abcdef0123456789abcdef',
    ],
    ['fastConcurrency', '2', '1000'],
    ['slowConcurrency', '2', '1000'],
    ['reservedConcurrency', '25', '10000'],
    ['deadlineSeconds', '1', '30'],
    ['disableAfterDays', '1', '30'],
    ['simulator', 'false', 'true'],
  ])('%s is taken from %s to %s', ([name = '', ...values]) => {
    for (const value of values) expect(problemsOf({ [name]: value })).toEqual([])
  })

  test.for([
    ['prefix', 'ab', 'a'.repeat(41), 'Bridge', 'bridge-', '1bridge', 'two--dashes', 'aws', ''],
    ['pollEverySeconds', '0', '3601', '1.5', '-1', '1e3', '', ' 5', 'often', true, null],
    ['memoryMb', '127', '3009'],
    ['batchingWindowSeconds', '301', '-1'],
    ['logRetentionDays', '0', '2', '31', '9999'],
    ['logLevel', 'info', 'TRACE'],
    ['removalPolicy', 'snapshot', ''],
    ['alarmEmail', 'on-call', ''],
    ['alarmTopicArn', 'on-call', 'arn:aws:sqs:eu-west-1:123456789012:on-call'],
    ['kmsKeyArn', 'alias/bridge', 'arn:aws:kms:eu-west-1:123456789012:alias/bridge'],
    ['fastConcurrency', '1', '1001'],
    ['slowConcurrency', '1', '1001'],
    ['reservedConcurrency', '3', 'all'],
    ['deadlineSeconds', '0', '31'],
    ['disableAfterDays', '0', '31'],
    ['simulator', 'yes', '1'],
  ])(
    '%s beyond its bounds, or no such thing at all, is a problem that says what would be right',
    ([name, ...values]) => {
      for (const value of values) {
        const problems = problemsOf({ [String(name)]: value })
        expect(problems).toHaveLength(1)
        expect(problems[0]).toMatch(new RegExp(`^${name} must be .+, not `))
        expect(problems[0]).toContain(JSON.stringify(value))
      }
    },
  )

  test('that are wrong are told all at once, those that must fit together too', () => {
    expect(
      problemsOf({
        pollEverySeconds: 'often',
        memorySize: '512',
        fastConcurrency: '20',
        reservedConcurrency: '24',
        subnetIds: 'subnet-0123abcd',
        alarmEmail: 'on-call@example.com',
        alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:on-call',
      }),
    ).toEqual([
      'memorySize is no setting',
      'pollEverySeconds must be a whole number from 1 to 3600, not "often"',
      'alarmEmail and alarmTopicArn exclude each other: subscribe the address to the topic',
      'vpcId and securityGroupIds must be given too: a VPC needs vpcId, subnetIds, securityGroupIds',
      'reservedConcurrency must be 25 at least, fastConcurrency and slowConcurrency together, not 24',
    ])
  })

  test('both lanes may have all of the reserved concurrency, and not one more', () => {
    const lanes = { fastConcurrency: '20', slowConcurrency: '10' }
    expect(problemsOf({ ...lanes, reservedConcurrency: '30' })).toEqual([])
    expect(problemsOf({ ...lanes, reservedConcurrency: '29' })).toHaveLength(1)
  })

  test.for([
    ['pollEverySecond', 'pollEverySeconds'],
    ['memoryMB', 'memoryMb'],
    ['Prefix', 'prefix'],
    ['kmsKey', 'kmsKeyArn'],
    ['fastConcurency', 'fastConcurrency'],
  ])('%s is a slip for %s', ([typed = '', meant]) => {
    expect(problemsOf({ [typed]: 'x' })).toEqual([`${typed} is no setting; did you mean ${meant}?`])
  })

  test('a name that is near none gets no suggestion', () => {
    expect(problemsOf({ region: 'eu-west-1' })).toEqual(['region is no setting'])
  })

  test("CDK's own keys are none of ours", () => {
    expect(
      problemsOf({
        '@aws-cdk/core:newStyleStackSynthesis': true,
        'aws:cdk:bundling-stacks': [],
        'aws-cdk:enableDiffNoFail': true,
        'availability-zones:account=1:region=eu-west-1': ['eu-west-1a'],
        'cli-telemetry': false,
        'acknowledged-issue-numbers': [1],
      }),
    ).toEqual([])
  })

  test('the table has each with its default and what it means', () => {
    expect(settingTable.map(({ name, default: value }) => [name, value])).toEqual([
      ['prefix', 'feedback-bridge'],
      ['pollEverySeconds', '5'],
      ['memoryMb', '256'],
      ['batchingWindowSeconds', '1'],
      ['logRetentionDays', '30'],
      ['logLevel', 'INFO'],
      ['alarmEmail', ''],
      ['alarmTopicArn', ''],
      ['removalPolicy', 'retain'],
      ['kmsKeyArn', ''],
      ['vpcId', ''],
      ['subnetIds', ''],
      ['securityGroupIds', ''],
      ['fastConcurrency', '20'],
      ['slowConcurrency', '5'],
      ['reservedConcurrency', ''],
      ['deadlineSeconds', '15'],
      ['disableAfterDays', '5'],
      ['simulator', 'false'],
    ])
    expect(settingTable.filter(({ meaning }) => meaning.length < 10)).toEqual([])
  })
})
