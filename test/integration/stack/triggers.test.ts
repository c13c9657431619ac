import { App, Duration, Stack } from 'aws-cdk-lib'
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { describe, expect, test } from 'vitest'
import { LaneSource } from '../../../infra/stack/lane-source.ts'
import { textOf } from './support/statements.ts'
import { ofType, type Synthesized, synthTemplate } from './support/synth-template.ts'

const standing = synthTemplate()
const changed = synthTemplate({ batchingWindowSeconds: '20', fastConcurrency: '12', slowConcurrency: '3' })

describe('the lanes', () => {
  const lanesOf = (of: Synthesized) =>
    ofType(of, 'AWS::Lambda::EventSourceMapping').map(({ Properties }) => ({
      queue: textOf(Properties['EventSourceArn']).replace(/[0-9A-F]{8}/, ''),
      batch: Properties['BatchSize'],
      window: Properties['MaximumBatchingWindowInSeconds'],
      answers: Properties['FunctionResponseTypes'],
      scaling: Properties['ScalingConfig'],
    }))
  const lane = (queue: string, window: number, concurrency: number, batch = 20) => ({
    queue: `<State${queue}.Arn>`,
    batch,
    window,
    answers: ['ReportBatchItemFailures'],
    scaling: { MaximumConcurrency: concurrency },
  })

  test('are read by the dispatcher in batches that fail by the message, each with a maximum of its own', () => {
    expect(lanesOf(standing)).toEqual([lane('Fast', 1, 20), lane('Slow', 1, 5)])
    expect(lanesOf(changed)).toEqual([lane('Fast', 20, 12), lane('Slow', 20, 3)])
  })

  test('are read by ten where a batch is not to wait for more: Lambda takes no larger one without a window', () => {
    const atOnce = synthTemplate({ batchingWindowSeconds: '0' })
    expect(lanesOf(atOnce)).toEqual([lane('Fast', 0, 20, 10), lane('Slow', 0, 5, 10)])
  })

  test('hide a message for six time-outs of the dispatcher, and the window that its batch is gathered in', () => {
    const hidden = (of: Synthesized) =>
      ofType(of, 'AWS::SQS::Queue').flatMap(({ Properties }) => Properties['VisibilityTimeout'] ?? [])
    expect(hidden(standing)).toEqual([361, 361])
    expect(hidden(changed)).toEqual([380, 380])
  })

  test.for([
    [
      379,
      [
        "The queue lane hides a message for 379 s. It must be 380 s at least: 6 × the function's time-out of 60 s, and the batching window of 20 s.",
      ],
    ],
    [380, []],
    // The queue's own default, of 30 s.
    [null, [expect.stringContaining('for 30 s. It must be 380 s')]],
  ])('that hide it for %s s: synth refuses what is too short, with both figures', ([seconds, problems]) => {
    const stack = new Stack(new App())
    const queue = new Queue(stack, 'Lane', {
      queueName: 'lane',
      ...(typeof seconds === 'number' && { visibilityTimeout: Duration.seconds(seconds) }),
    })
    const lambda = new LambdaFunction(stack, 'Function', {
      code: Code.fromInline('//'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      timeout: Duration.seconds(60),
    })
    const source = new LaneSource(stack, 'Source', {
      lambda,
      queue,
      batchingWindowSeconds: 20,
      concurrencyMax: 2,
    })
    expect(source.node.validate()).toEqual(problems)
  })
})

describe('the schedules', () => {
  const schedules = ofType(standing, 'AWS::Scheduler::Schedule')

  test('start the poller and the releaser, once: what can not be started is kept, not tried again', () => {
    expect(schedules.map(({ Properties }) => Properties['Name'])).toEqual(['poller', 'releaser'])
    for (const { Properties } of schedules) {
      expect(Properties).toMatchObject({
        GroupName: 'feedback-bridge',
        State: 'ENABLED',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: {
          Arn: {
            'Fn::GetAtt': [expect.stringMatching(new RegExp(`^${Properties['Name']}Function`, 'i')), 'Arn'],
          },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^StateFailedRuns/), 'Arn'] } },
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        },
      })
    }
  })

  test('are made after their group, and after the role may do what they need', () => {
    for (const { DependsOn } of schedules) {
      expect(DependsOn.map(id => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
        'SchedulesGroup',
        'SchedulesRole',
        'SchedulesRoleDefaultPolicy',
      ])
    }
  })

  test.for([
    [1, 'rate(1 minute)'],
    [119, 'rate(1 minute)'],
    [120, 'rate(2 minutes)'],
    [3600, 'rate(1 hour)'],
  ])('start the poller as often as polling every %s s needs: %s', ([pollEverySeconds, rate]) => {
    const [poller, releaser] = ofType(synthTemplate({ pollEverySeconds }), 'AWS::Scheduler::Schedule')
    expect(poller?.Properties['ScheduleExpression']).toBe(rate)
    expect(releaser?.Properties['ScheduleExpression']).toBe('rate(1 minute)')
  })
})
