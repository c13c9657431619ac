import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, test } from 'vitest'
import { tableDefinition } from '../../../shared/adapters/dynamodb/table.ts'
import { queueSettings } from '../../../shared/adapters/sqs/queues.ts'
import { ofType, synthTemplate } from './support/synth-template.ts'

const standing = synthTemplate()
const passing = synthTemplate({ removalPolicy: 'destroy' })

describe('the table', () => {
  const [table, ...more] = ofType(standing, 'AWS::DynamoDB::Table')

  test('is one, with the keys and the index that the adapters use, and paid by the request', () => {
    expect(more).toEqual([])
    const { partitionKey, sortKey, index } = tableDefinition
    const keys = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ]
    expect(table?.Properties).toMatchObject({
      TableName: 'feedback-bridge',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keys(partitionKey, sortKey),
      GlobalSecondaryIndexes: [
        {
          IndexName: index.name,
          KeySchema: keys(index.partitionKey, index.sortKey),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    })
  })

  test('expires items, recovers to a point in time, is encrypted and protected: what no emulator shows', () => {
    expect(table?.Properties).toMatchObject({
      TimeToLiveSpecification: { AttributeName: tableDefinition.ttl, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      DeletionProtectionEnabled: true,
    })
  })

  test('outlives the stack, unless it is asked not to', () => {
    expect([table?.DeletionPolicy, table?.UpdateReplacePolicy]).toEqual(['Retain', 'Retain'])
    const [gone] = ofType(passing, 'AWS::DynamoDB::Table')
    expect([gone?.DeletionPolicy, gone?.Properties['DeletionProtectionEnabled']]).toEqual(['Delete', false])
  })
})

describe('the queues', () => {
  const queues = ofType(standing, 'AWS::SQS::Queue')
  const byName = new Map(queues.map(queue => [queue.Properties['QueueName'], queue]))
  const lanes = ['feedback-bridge-deliveries', 'feedback-bridge-deliveries-slow']

  test('are four standard ones that keep messages for 14 days, encrypted, and are asked by long polling', () => {
    expect([...byName.keys()].sort()).toEqual([
      'feedback-bridge-dead-letters',
      ...lanes,
      'feedback-bridge-failed-runs',
    ])
    for (const { Properties } of queues) {
      expect(Properties).toMatchObject({
        MessageRetentionPeriod: 14 * 24 * 3600,
        ReceiveMessageWaitTimeSeconds: 20,
        MaximumMessageSize: queueSettings.messageBytesMax,
        SqsManagedSseEnabled: true,
      })
      expect(Properties).not.toHaveProperty('FifoQueue')
    }
  })

  test('all refuse plain HTTP', () => {
    const refused = ofType(standing, 'AWS::SQS::QueuePolicy').map(({ Properties }) => Properties['Queues'])
    expect(refused).toHaveLength(4)
    expect(new Set(refused.map(queue => JSON.stringify(queue))).size).toBe(4)
    standing.template.resourcePropertiesCountIs(
      'AWS::SQS::QueuePolicy',
      {
        PolicyDocument: {
          Statement: [
            Match.objectLike({
              Effect: 'Deny',
              Action: 'sqs:*',
              Principal: { AWS: '*' },
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            }),
          ],
        },
      },
      4,
    )
  })

  test.for(lanes)('%s gives up on what was received 5 times', name => {
    expect(byName.get(name)?.Properties['RedrivePolicy']).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(/^StateDeadLetters/), 'Arn'] },
      maxReceiveCount: 5,
    })
  })

  test('of the dead letters takes them from the two lanes only', () => {
    const dead = byName.get('feedback-bridge-dead-letters')?.Properties['RedriveAllowPolicy']
    expect(dead).toMatchObject({ redrivePermission: 'byQueue' })
    const arns = JSON.stringify(dead).match(/:feedback-bridge-[\w-]+/g)
    expect(arns).toEqual(lanes.map(name => `:${name}`))
  })
})

describe('the master secret', () => {
  test('is the only secret, generated of 64 letters and digits, and these words never change', () => {
    const secrets = ofType(standing, 'AWS::SecretsManager::Secret')
    expect(secrets).toHaveLength(1)
    expect(secrets[0]?.Properties).toMatchObject({ Name: 'feedback-bridge/signing-master' })
    expect(secrets[0]?.Properties['GenerateSecretString']).toEqual({
      PasswordLength: 64,
      ExcludePunctuation: true,
    })
  })

  test('refuses plain HTTP', () => {
    standing.template.hasResourceProperties('AWS::SecretsManager::ResourcePolicy', {
      ResourcePolicy: {
        Statement: [
          Match.objectLike({
            Effect: 'Deny',
            Action: 'secretsmanager:*',
            Principal: { AWS: '*' },
            Resource: '*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ],
      },
    })
  })
})

describe('what is kept when the stack is deleted', () => {
  const policies = (type: string, of = standing) => ofType(of, type).map(resource => resource.DeletionPolicy)

  test('are the secret and the logs too, but for a first deployment that failed', () => {
    expect(policies('AWS::SecretsManager::Secret')).toEqual(['RetainExceptOnCreate'])
    expect(policies('AWS::Logs::LogGroup')).toEqual(Array.from({ length: 3 }, () => 'RetainExceptOnCreate'))
  })

  test('is nothing where that is asked for', () => {
    const types = [
      'AWS::DynamoDB::Table',
      'AWS::SecretsManager::Secret',
      'AWS::Logs::LogGroup',
      'AWS::SQS::Queue',
    ]
    expect(new Set(types.flatMap(type => policies(type, passing)))).toEqual(new Set(['Delete']))
  })
})

describe('the stack', () => {
  test('tells of what it made, by names that the runbook and the command know', () => {
    expect(Object.keys(standing.outputs)).toEqual([
      'Prefix',
      'TableName',
      'FastQueueUrl',
      'SlowQueueUrl',
      'DeadLettersQueueUrl',
      'FailedRunsQueueUrl',
      'SecretPrefix',
      'PollerName',
      'DispatcherName',
      'ReleaserName',
      'ScheduleGroup',
      'DashboardUrl',
    ])
    const more = synthTemplate({ simulator: 'true', alarmEmail: 'on-call@example.com' }).outputs
    expect(Object.keys(more).slice(-2)).toEqual(['AlarmTopicArn', 'SimulatorUrl'])
    expect(standing.outputs).toMatchObject({
      Prefix: { Value: 'feedback-bridge' },
      SecretPrefix: { Value: 'feedback-bridge/' },
      ScheduleGroup: { Value: 'feedback-bridge' },
    })
  })

  test('reports to nobody', () => {
    standing.template.resourceCountIs('AWS::CDK::Metadata', 0)
  })
})
