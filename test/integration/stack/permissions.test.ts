import { describe, expect, test } from 'vitest'
import { grantsOf, statementsOf } from './support/statements.ts'
import { ofType, synthTemplate } from './support/synth-template.ts'

const standing = synthTemplate()
const roles = {
  poller: statementsOf(standing, 'Poller/Role'),
  dispatcher: statementsOf(standing, 'Dispatcher/Role'),
  releaser: statementsOf(standing, 'Releaser/Role'),
  scheduler: statementsOf(standing, 'Schedules/Role'),
}

describe('the poller may', () => {
  test('read settings and API tokens, write cursors, log, quarantine and marks, and enqueue', () => {
    expect(grantsOf(roles.poller).sort()).toEqual([
      'dynamodb:BatchGetItem StateTable EVENT#*',
      'dynamodb:BatchWriteItem StateTable EVENT#*',
      'dynamodb:GetItem StateTable CURSOR#* QUARANTINE#*',
      'dynamodb:PutItem StateTable CURSOR#* QUARANTINE#*',
      'dynamodb:Query StateTable EVENT#*',
      'dynamodb:Query StateTable SOURCE ENDPOINT',
      'dynamodb:UpdateItem StateTable CURSOR#* MARK#*',
      'logs:CreateLogStream PollerLogs',
      'logs:PutLogEvents PollerLogs',
      'secretsmanager:GetSecretValue secret:feedback-bridge/token-*',
      'sqs:SendMessage StateFailedRuns',
      'sqs:SendMessage StateFast',
      'sqs:SendMessage StateSlow',
    ])
  })
})

describe('the dispatcher may', () => {
  test('read endpoints and their secrets, mark endpoints, write deliveries, take of limits, count, receive, send and give up', () => {
    expect(grantsOf(roles.dispatcher).sort()).toEqual([
      'dynamodb:BatchGetItem StateTable DELIVERY#*',
      'dynamodb:GetItem StateTable DELIVERY#*',
      'dynamodb:GetItem StateTable ENDPOINT',
      'dynamodb:GetItem StateTable PACE#*',
      'dynamodb:PutItem StateTable DELIVERY#*',
      'dynamodb:PutItem StateTable PACE#*',
      'dynamodb:Query StateTable ENDPOINT',
      'dynamodb:UpdateItem StateTable ENDPOINT',
      'dynamodb:UpdateItem StateTable HEARTBEAT#*',
      'logs:CreateLogStream DispatcherLogs',
      'logs:PutLogEvents DispatcherLogs',
      'secretsmanager:GetSecretValue secret:feedback-bridge/authorization-*',
      'secretsmanager:GetSecretValue secret:feedback-bridge/signing-*',
      'sqs:DeleteMessage StateFast',
      'sqs:DeleteMessage StateSlow',
      'sqs:GetQueueAttributes StateFast',
      'sqs:GetQueueAttributes StateSlow',
      'sqs:ReceiveMessage StateFast',
      'sqs:ReceiveMessage StateSlow',
      'sqs:SendMessage StateDeadLetters',
      'sqs:SendMessage StateFailedRuns',
      'sqs:SendMessage StateFast',
      'sqs:SendMessage StateSlow',
    ])
  })
})

describe('the releaser may', () => {
  test('ask the index and the log, write deliveries, clear marks, read secrets, enqueue, and tell the operator', () => {
    expect(grantsOf(roles.releaser).sort()).toEqual([
      'dynamodb:BatchGetItem StateTable DELIVERY#*',
      'dynamodb:DeleteItem StateTable MARK#*',
      'dynamodb:GetItem StateTable CURSOR#*',
      'dynamodb:GetItem StateTable DELIVERY#*',
      'dynamodb:GetItem StateTable EVENT#*',
      'dynamodb:GetItem StateTable HEARTBEAT#*',
      'dynamodb:PutItem StateTable DELIVERY#*',
      'dynamodb:Query StateTable DELIVERY#*',
      'dynamodb:Query StateTable EVENT#*',
      'dynamodb:Query StateTable SOURCE ENDPOINT MARK#*',
      'dynamodb:Query StateTable/index/due waiting#* held#* dead#*',
      'dynamodb:UpdateItem StateTable DELIVERY#*',
      'dynamodb:UpdateItem StateTable ENDPOINT',
      'dynamodb:UpdateItem StateTable HEARTBEAT#*',
      'dynamodb:UpdateItem StateTable MARK#*',
      'events:PutEvents arn:aws:events:eu-west-1:123456789012:event-bus/default',
      'logs:CreateLogStream ReleaserLogs',
      'logs:PutLogEvents ReleaserLogs',
      'secretsmanager:GetSecretValue secret:feedback-bridge/authorization-*',
      'secretsmanager:GetSecretValue secret:feedback-bridge/signing-*',
      'sqs:SendMessage StateFailedRuns',
      'sqs:SendMessage StateFast',
      'sqs:SendMessage StateSlow',
    ])
  })
})

describe('what the releaser puts on the bus', () => {
  test('is from the bridge itself, each entry of a request', () => {
    const telling = roles.releaser.filter(({ actions }) => actions.includes('events:PutEvents'))
    expect(telling.map(({ resources, conditions }) => ({ resources, conditions }))).toEqual([
      {
        resources: ['arn:aws:events:eu-west-1:123456789012:event-bus/default'],
        conditions: {
          'ForAllValues:StringEquals': { 'events:source': ['feedback-bridge'] },
          Null: { 'events:source': ['false'] },
        },
      },
    ])
  })
})

describe('the schedules may', () => {
  test('start the two functions that they start, and tell of what they could not', () => {
    expect(grantsOf(roles.scheduler).sort()).toEqual([
      'lambda:InvokeFunction PollerFunction',
      'lambda:InvokeFunction ReleaserFunction',
      'sqs:SendMessage StateFailedRuns',
    ])
  })

  test('use their role in this account and group only', () => {
    const [role] = ofType(standing, 'AWS::IAM::Role').filter(({ Properties }) =>
      JSON.stringify(Properties).includes('scheduler.amazonaws.com'),
    )
    expect(role?.Properties['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [
        {
          Condition: {
            StringEquals: {
              'aws:SourceAccount': { Ref: 'AWS::AccountId' },
              'aws:SourceArn': { 'Fn::GetAtt': [expect.stringMatching(/^SchedulesGroup/), 'Arn'] },
            },
          },
        },
      ],
    })
  })
})
