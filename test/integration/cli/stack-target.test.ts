import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmulators } from '../../../infra/local/emulators.ts'
import { close, listen } from '../../../infra/local/loopback.ts'
import { type Ran, runBridgeCommand } from './bridge-command.ts'
import { type SecretsManagerTwin, startSecretsManagerTwin } from './secrets-manager-twin.ts'

const prefix = 'feedback-bridge'
const master = 'a1B2'.repeat(16)

let outputs: Record<string, string>
let env: Record<string, string>
let secrets: SecretsManagerTwin
const closing: (() => Promise<unknown>)[] = []

/** CloudFormation's `DescribeStacks`, in its Query protocol: one stack with these outputs, and no other. */
const startCloudFormation = async (): Promise<string> => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    const asked = new URLSearchParams(body)
    const isThere = asked.get('Action') === 'DescribeStacks' && asked.get('StackName') === prefix
    const members = Object.entries(outputs).map(
      ([key, value]) =>
        `<member><OutputKey>${key}</OutputKey><OutputValue>${value.replaceAll('&', '&amp;')}</OutputValue></member>`,
    )
    const stack = `<member><StackName>${prefix}</StackName><CreationTime>2026-11-20T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member>`
    const answer = isThere
      ? `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`
      : `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${asked.get('StackName')} does not exist</Message></Error></ErrorResponse>`
    response.writeHead(isThere ? 200 : 400, { 'content-type': 'text/xml' }).end(answer)
  })
  closing.push(() => close(server))
  return listen(server)
}

beforeAll(async () => {
  const emulators = await startEmulators()
  closing.push(() => emulators.close())
  secrets = await startSecretsManagerTwin({ [`${prefix}/signing-master`]: master })
  closing.push(() => secrets.close())
  const { queueUrls } = emulators
  outputs = {
    Prefix: prefix,
    TableName: emulators.dynamodb.tableName,
    FastQueueUrl: queueUrls.fast,
    SlowQueueUrl: queueUrls.slow,
    DeadLettersQueueUrl: queueUrls.deadLetters,
    FailedRunsQueueUrl: `${queueUrls.fast}-failed-runs`,
    SecretPrefix: `${prefix}/`,
    PollerName: `${prefix}-poller`,
    DispatcherName: `${prefix}-dispatcher`,
    ReleaserName: `${prefix}-releaser`,
    ScheduleGroup: prefix,
    SomethingElse: 'a&b',
  }
  env = {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: await startCloudFormation(),
    AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamodb.endpoint,
    AWS_ENDPOINT_URL_SQS: emulators.sqs.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    // No file of this machine's own has a say.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  }
})
afterAll(async () => {
  for (const end of closing.toReversed()) await end()
})

const onStack = (args: string, of: { stdin?: string; env?: Record<string, string> } = {}): Promise<Ran> =>
  runBridgeCommand([...args.split(' '), '--stack', prefix, '--region', 'eu-central-1'], {
    env: { ...env, ...of.env },
    ...(of.stdin !== undefined && { stdin: of.stdin }),
  })

describe('the command on a deployed stack', () => {
  test('finds table and secrets in its outputs; a token goes to Secrets Manager under the prefix', async () => {
    const added = await onStack('source add main --url https://api.example.com', { stdin: 'tok-1' })
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(secrets.value(`${prefix}/token-main`)).toBe('tok-1')
    expect(secrets.description(`${prefix}/token-main`)).toBe('API token of the source main (feedback bridge)')
    await onStack('source token main', { stdin: 'tok-2' })
    expect(secrets.value(`${prefix}/token-main`)).toBe('tok-2')

    await onStack('source pause main')
    expect((await onStack('source remove main --yes')).code).toBe(0)
    expect(secrets.value(`${prefix}/token-main`)).toBeNull()
    // It waits for its deletion: adding the source again takes it back.
    await onStack('source add main --url https://api.example.com', { stdin: 'tok-3' })
    expect(secrets.value(`${prefix}/token-main`)).toBe('tok-3')
  })

  test('an endpoint’s secret follows from the master secret that the stack generated', async () => {
    const added = await onStack('endpoint add https://93.184.215.14/hooks --id crm --json')
    const secret: string = JSON.parse(added.stdout).signingSecret
    expect(() => new Webhook(secret)).not.toThrow()
    const own = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    await onStack('endpoint rotate-secret crm --own-secret', { stdin: own })
    expect(secrets.value(`${prefix}/signing-crm-2`)).toBe(own)
    await onStack('endpoint remove crm --yes')
    expect(secrets.value(`${prefix}/signing-crm-2`)).toBeNull()
    expect(secrets.value(`${prefix}/signing-master`)).toBe(master)
  })

  test('private addresses are refused, whatever is asked for', async () => {
    const ran = await onStack('endpoint add http://127.0.0.1:3000/ --allow-private-endpoints')
    expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([
      3,
      'bridge: a deployed bridge sends to public addresses over https only',
    ])
  })

  test('a stack that is not there, or is none of a bridge, is told', async () => {
    const none = await runBridgeCommand(['source', 'list', '--stack', 'other', '--region', 'eu-central-1'], {
      env,
    })
    expect([none.code, none.stderr.split('\n')[0]]).toEqual([
      1,
      'bridge: there is no stack "other" in this account and region',
    ])
    const whole = outputs
    outputs = { TableName: 'a', Prefix: 'b' }
    const lacking = await onStack('source list')
    outputs = whole
    expect([lacking.code, lacking.stderr.split('\n')[0]]).toEqual([
      1,
      `bridge: the stack "${prefix}" lacks outputs of a bridge: FastQueueUrl, SlowQueueUrl, DeadLettersQueueUrl, FailedRunsQueueUrl, SecretPrefix, PollerName, DispatcherName, ReleaserName, ScheduleGroup`,
    ])
  })

  test('no credentials, or a profile that is not there, is told with what to do', async () => {
    const noKeys = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }
    const ran = await onStack('source list', { env: noKeys })
    const told = 'bridge: no AWS credentials were found; sign in, or name a profile with --profile\n'
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', told])
    const profile = await onStack('source list --profile nobody', { env: noKeys })
    expect([profile.code, profile.stderr]).toEqual([1, told])
  })
})
