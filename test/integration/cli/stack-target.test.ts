import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ran, runBridgeCommand } from './bridge-command.ts'
import type { SecretsManagerTwin } from './secrets-manager-twin.ts'
import { holdStack, master, prefix } from './stack-stand-in.ts'

let held: Awaited<ReturnType<typeof holdStack>>
let secrets: SecretsManagerTwin

beforeAll(async () => {
  held = await holdStack()
  secrets = held.secrets
})
afterAll(() => held[Symbol.asyncDispose]())

const onStack = (args: string, of: { stdin?: string; env?: Record<string, string> } = {}): Promise<Ran> =>
  held.bridge(args, of)

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
    const { env, stack } = held
    const none = await runBridgeCommand(['source', 'list', '--stack', 'other', '--region', 'eu-central-1'], {
      env,
    })
    expect([none.code, none.stderr.split('\n')[0]]).toEqual([
      1,
      'bridge: there is no stack "other" in this account and region',
    ])
    const whole = stack.outputs
    stack.outputs = { TableName: 'a', Prefix: 'b' }
    const lacking = await onStack('source list')
    stack.outputs = whole
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
