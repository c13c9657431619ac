import { createServer } from 'node:http'
import { CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { type Emulators, startEmulators } from '../../../infra/local/emulators.ts'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { close, listen } from '../../../infra/local/loopback.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { type Ran, runBridgeCommand } from './bridge-command.ts'
import { startSecretsManagerTwin } from './secrets-manager-twin.ts'

export const prefix = 'feedback-bridge'
export const master = 'a1B2'.repeat(16)
/** Where the stack's endpoints are: a public address, to which nothing is sent. */
export const publicUrl = 'https://93.184.215.14/hooks'

type Outputs = Readonly<Record<string, string>>

const answerOf = (asked: URLSearchParams, outputs: Outputs): string | null => {
  if (asked.get('Action') !== 'DescribeStacks' || asked.get('StackName') !== prefix) return null
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value.replaceAll('&', '&amp;')}</OutputValue></member>`,
  )
  const stack = `<member><StackName>${prefix}</StackName><CreationTime>2026-11-20T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member>`
  return `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`
}

/** CloudFormation's `DescribeStacks`, in its Query protocol: one stack with these outputs, and no other. */
const startCloudFormation = async (outputs: () => Outputs) => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    const asked = new URLSearchParams(body)
    const answer = answerOf(asked, outputs())
    const none = `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${asked.get('StackName')} does not exist</Message></Error></ErrorResponse>`
    response.writeHead(answer === null ? 400 : 200, { 'content-type': 'text/xml' }).end(answer ?? none)
  })
  return { endpoint: await listen(server), [Symbol.asyncDispose]: () => close(server) }
}

/** On AWS a queue's URL begins with the endpoint that the SDK finds by itself. */
const atEndpoint = (url: string, endpoint: string): string => new URL(new URL(url).pathname, endpoint).href

const outputsOf = ({ dynamodb, sqs, queueUrls }: Emulators, failedRunsUrl: string): Outputs => ({
  Prefix: prefix,
  TableName: dynamodb.tableName,
  FastQueueUrl: atEndpoint(queueUrls.fast, sqs.endpoint),
  SlowQueueUrl: atEndpoint(queueUrls.slow, sqs.endpoint),
  DeadLettersQueueUrl: atEndpoint(queueUrls.deadLetters, sqs.endpoint),
  FailedRunsQueueUrl: atEndpoint(failedRunsUrl, sqs.endpoint),
  SecretPrefix: `${prefix}/`,
  PollerName: `${prefix}-poller`,
  DispatcherName: `${prefix}-dispatcher`,
  ReleaserName: `${prefix}-releaser`,
  ScheduleGroup: prefix,
  SomethingElse: 'a&b',
})

/** What stands in for a deployed stack: its outputs, table, queues and secrets, on loopback. Nothing is polled or delivered. */
export const holdStack = async (secretTexts: Readonly<Record<string, string>> = {}) => {
  await using opening = new AsyncDisposableStack()
  const emulators = await startEmulators()
  opening.defer(() => emulators.close())
  const held = Object.entries({ 'signing-master': master, ...secretTexts })
  const secrets = await startSecretsManagerTwin(
    Object.fromEntries(held.map(([name, text]) => [`${prefix}/${name}`, text])),
  )
  opening.defer(() => secrets.close())
  const queueClient = createQueueClient({ ...localClientSettings, endpoint: emulators.sqs.endpoint })
  opening.defer(() => queueClient.destroy())
  const made = await queueClient.send(new CreateQueueCommand({ QueueName: `${prefix}-failed-runs` }))
  const failedRunsUrl = made.QueueUrl ?? ''
  const stack = { outputs: outputsOf(emulators, failedRunsUrl) }
  const cloudFormation = opening.use(await startCloudFormation(() => stack.outputs))
  const env = {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamodb.endpoint,
    AWS_ENDPOINT_URL_SQS: emulators.sqs.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    // No file of this machine's own has a say.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  const disposables = opening.move()
  return {
    emulators,
    secrets,
    env,
    /** Replace them, and the stack has others. */
    stack,
    /** A run that its schedule could not start. */
    failRun: () =>
      queueClient.send(new SendMessageCommand({ QueueUrl: failedRunsUrl, MessageBody: '{"kind":"poller"}' })),
    bridge: (args: string, of: { stdin?: string; env?: Record<string, string> } = {}): Promise<Ran> =>
      runBridgeCommand([...args.split(' '), '--stack', prefix, '--region', 'eu-central-1'], {
        env: { ...env, ...of.env },
        ...(of.stdin !== undefined && { stdin: of.stdin }),
      }),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}
