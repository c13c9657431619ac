import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSecretsClient } from '../../../shared/adapters/secrets/secrets-manager-store.ts'
import type { Assembly } from './harness/assembly.ts'
import { readCall } from './harness/aws-calls.ts'
import { grantsOf, isAllowed, type Statement, uses } from './harness/iam-policies.ts'
import { createResolver } from './harness/intrinsics.ts'
import { partProperties } from './harness/properties.ts'
import { generateSecret, startSecretsManager } from './harness/secrets-manager.ts'

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/t'
const allow = (of: Partial<Statement>): Statement => ({
  Effect: 'Allow',
  Action: ['dynamodb:PutItem'],
  Resource: [table],
  Condition: {},
  ...of,
})
const put = (...leadingKeys: string[]) => ({ action: 'dynamodb:PutItem', resource: table, leadingKeys })

describe('the evaluator of policies', () => {
  test('allows what a statement names, and nothing else', () => {
    const statements = [allow({})]
    expect(isAllowed(statements, put('A'))).toBe(true)
    expect(isAllowed(statements, { ...put('A'), action: 'dynamodb:GetItem' })).toBe(false)
    expect(isAllowed(statements, { ...put('A'), resource: `${table}/index/due` })).toBe(false)
    expect(isAllowed([], put('A'))).toBe(false)
  })

  test('takes wildcards in resources and in keys, and other characters as they are', () => {
    const statements = [
      allow({
        Resource: [`${table}/*`],
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['A.#*'] } },
      }),
    ]
    const call = (key: string) => ({ ...put(key), resource: `${table}/index/due` })
    expect(isAllowed(statements, call('A.#1'))).toBe(true)
    expect(isAllowed(statements, call('AB#1'))).toBe(false)
  })

  test('asks the condition of every key of a batch', () => {
    const condition = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['A', 'B'] } }
    const statements = [allow({ Condition: condition })]
    expect(isAllowed(statements, put('A', 'B'))).toBe(true)
    expect(isAllowed(statements, put('A', 'C'))).toBe(false)
  })

  test('lets a denial win, where its condition holds', () => {
    const insecure = { Bool: { 'aws:SecureTransport': ['false'] } }
    expect(isAllowed([allow({}), allow({ Effect: 'Deny' })], put('A'))).toBe(false)
    expect(isAllowed([allow({}), allow({ Effect: 'Deny', Condition: insecure })], put('A'))).toBe(true)
  })

  test('refuses an operator or a condition key that it does not know', () => {
    const operator = [allow({ Condition: { NumericLessThan: { 'dynamodb:LeadingKeys': ['1'] } } })]
    const key = [allow({ Condition: { StringEquals: { 'aws:SourceIp': ['1'] } } })]
    expect(() => isAllowed(operator, put('A'))).toThrow('NumericLessThan')
    expect(() => isAllowed(key, put('A'))).toThrow('aws:SourceIp')
  })

  test('takes a statement apart into what can be used on its own', () => {
    const condition = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['A#*', 'B'] } }
    const grants = grantsOf([
      allow({ Action: ['dynamodb:PutItem', 'dynamodb:GetItem'], Condition: condition }),
    ])
    expect(grants.map(({ action, keys }) => [action, keys])).toEqual([
      ['dynamodb:PutItem', 'A#*'],
      ['dynamodb:PutItem', 'B'],
      ['dynamodb:GetItem', 'A#*'],
      ['dynamodb:GetItem', 'B'],
    ])
    expect(grants.map(grant => uses(put('A#1'), grant))).toEqual([true, false, false, false])
  })
})

describe('the reader of calls', () => {
  const facts = {
    table: {
      tableName: 't',
      partitionKey: 'pk',
      indexPartitionKeys: new Map([['due', 'ipk']]),
      notTaken: {},
    },
    secretArn: (name: string) => `arn:${name}`,
  }
  const read = (target: string, body: unknown) => readCall(target, body, facts).call
  const key = (pk: string) => ({ pk: { S: pk }, sk: { S: '1' } })

  test('finds the leading keys of items, queries and batches', () => {
    const query = {
      TableName: 't',
      IndexName: 'due',
      KeyConditionExpression: '#i = :i AND isk < :end',
      ExpressionAttributeNames: { '#i': 'ipk' },
      ExpressionAttributeValues: { ':i': { S: 'held#shop#0' }, ':end': { S: '9' } },
    }
    const batch = {
      RequestItems: { t: [{ PutRequest: { Item: key('A') } }, { DeleteRequest: { Key: key('B') } }] },
    }
    expect(read('DynamoDB_20120810.GetItem', { TableName: 't', Key: key('A') })).toEqual({
      action: 'dynamodb:GetItem',
      resource: table,
      leadingKeys: ['A'],
    })
    expect(read('DynamoDB_20120810.Query', query)).toEqual({
      action: 'dynamodb:Query',
      resource: `${table}/index/due`,
      leadingKeys: ['held#shop#0'],
    })
    expect(read('DynamoDB_20120810.BatchWriteItem', batch).leadingKeys).toEqual(['A', 'B'])
    const keys = { RequestItems: { t: { Keys: [key('A'), key('A'), key('C')] } } }
    expect(read('DynamoDB_20120810.BatchGetItem', keys).leadingKeys).toEqual(['A', 'C'])
  })

  test('reads a batch of the queue as the single action', () => {
    const body = { QueueUrl: 'http://127.0.0.1:1/000000000000/q', Entries: [] }
    expect(read('AmazonSQS.SendMessageBatch', body)).toEqual({
      action: 'sqs:SendMessage',
      resource: 'arn:aws:sqs:us-east-1:000000000000:q',
      leadingKeys: [],
    })
  })

  test('finds the bus and the sources of the events of a request', () => {
    const entry = { EventBusName: 'default', Source: 'ours' }
    const call = read('AWSEvents.PutEvents', { Entries: [entry, { ...entry, Source: 'other' }] })
    expect(call).toEqual({
      action: 'events:PutEvents',
      resource: 'arn:aws:events:us-east-1:000000000000:event-bus/default',
      leadingKeys: [],
      eventSources: ['ours', 'other'],
    })
    const statement = (sources: string[]) =>
      allow({
        Action: ['events:PutEvents'],
        Resource: [call.resource],
        Condition: {
          'ForAllValues:StringEquals': { 'events:source': sources },
          Null: { 'events:source': ['false'] },
        },
      })
    expect(isAllowed([statement(['ours', 'other'])], call)).toBe(true)
    expect(isAllowed([statement(['ours'])], call)).toBe(false)
    expect(isAllowed([statement(['ours'])], { ...call, eventSources: [] })).toBe(false)
  })

  test('refuses what it does not know', () => {
    expect(() => read('DynamoDB_20120810.Scan', { TableName: 't' })).toThrow('Scan')
    expect(() => read('Kinesis.PutRecord', {})).toThrow('Kinesis')
  })
})

describe('the reader of templates', () => {
  const queue = { id: 'Q', type: 'AWS::SQS::Queue', properties: { QueueName: 'q' } }
  const assembly: Assembly = {
    resources: [queue],
    resource: () => queue,
    ofType: () => [queue],
    assetFolder: () => '',
  }
  const where = { queueUrl: (name: string) => `http://q/${name}`, secretArn: (name: string) => name }
  const { resolve } = createResolver(assembly, where)

  test('resolves references and texts made of them', () => {
    const arn = 'arn:aws:sqs:us-east-1:000000000000:q'
    expect(resolve({ Ref: 'Q' })).toBe('http://q/q')
    expect(resolve({ 'Fn::Join': ['', ['a', { 'Fn::GetAtt': ['Q', 'Arn'] }]] })).toBe(`a${arn}`)
    expect(resolve([{ 'Fn::Sub': `x \${Q.Arn} \${AWS::Region} \${!Q}` }])).toEqual([
      `x ${arn} us-east-1 \${Q}`,
    ])
  })

  test('refuses a function, an attribute or a property that it does not know', () => {
    expect(() => resolve({ 'Fn::ImportValue': 'other' })).toThrow('Fn::ImportValue')
    expect(() => resolve({ 'Fn::GetAtt': ['Q', 'Color'] })).toThrow('Color')
    const lists = { taken: ['QueueName'], notTaken: ['SqsManagedSseEnabled'] }
    expect(() => partProperties(queue, lists)).toThrow('SqsManagedSseEnabled')
    const odd = { ...queue, properties: { QueueName: 'q', SqsManagedSseEnabled: true, Fifo: true } }
    expect(() => partProperties(odd, lists)).toThrow('Fifo')
  })
})

describe('the stub of Secrets Manager', () => {
  const value = async (client: SecretsManagerClient, VersionStage: string) =>
    (await client.send(new GetSecretValueCommand({ SecretId: 'b/token', VersionStage }))).SecretString

  test('moves its stages as a rotation does', async () => {
    const secrets = await startSecretsManager()
    onTestFinished(() => secrets.close())
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    const client = createSecretsClient({ endpoint: secrets.endpoint, region: 'us-east-1', credentials })
    onTestFinished(() => client.destroy())
    secrets.put('b/token', 'one')
    secrets.putPending('b/token', 'two')
    expect([await value(client, 'AWSCURRENT'), await value(client, 'AWSPENDING')]).toEqual(['one', 'two'])
    secrets.promote('b/token')
    expect([await value(client, 'AWSCURRENT'), await value(client, 'AWSPREVIOUS')]).toEqual(['two', 'one'])
    await expect(value(client, 'AWSPENDING')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    await client.send(new PutSecretValueCommand({ SecretId: 'b/token', SecretString: 'three' }))
    expect([await value(client, 'AWSCURRENT'), await value(client, 'AWSPREVIOUS')]).toEqual(['three', 'two'])
  })

  test('generates what the template asks for', () => {
    expect(generateSecret({ PasswordLength: 64, ExcludePunctuation: true })).toMatch(/^[A-Za-z0-9]{64}$/)
    expect(() => generateSecret({ PasswordLength: 64 })).toThrow('ExcludePunctuation')
  })
})
