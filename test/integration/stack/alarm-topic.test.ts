import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validations } from 'aws-cdk-lib'
import { Match } from 'aws-cdk-lib/assertions'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { alarmsOf, create, keyArn, ownTopicArn } from './support/monitoring-stack.ts'

describe('where alarms are told', () => {
  it('is nowhere, where nobody asked', () => {
    const { template, monitoring } = create()
    template.resourceCountIs('AWS::SNS::Topic', 0)
    expect(monitoring.alarmTopic).toBeUndefined()
    expect([...alarmsOf(template).values()].flatMap(({ AlarmActions }) => AlarmActions)).toEqual([])
  })

  it("is the operator's own topic, of which nothing is changed", () => {
    const { template, monitoring } = create({ settings: { alarmTopicArn: ownTopicArn } })
    for (const type of ['Topic', 'TopicPolicy', 'Subscription'])
      template.resourceCountIs(`AWS::SNS::${type}`, 0)
    expect(monitoring.alarmTopic?.topicArn).toBe(ownTopicArn)
    for (const { AlarmActions } of alarmsOf(template).values()) expect(AlarmActions).toEqual([ownTopicArn])
  })

  it('is an address, by a topic that takes alarms of this stack alone and nothing by plain HTTP', () => {
    const { template } = create({ settings: { alarmEmail: 'on-call@example.com' } })
    template.hasResourceProperties('AWS::SNS::Topic', {
      TopicName: 'bridge-alarms',
      // AWS's own key would keep CloudWatch out.
      KmsMasterKeyId: Match.absent(),
    })
    template.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'on-call@example.com',
    })
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({
            Effect: 'Deny',
            Principal: '*',
            Action: 'sns:Publish',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Condition: {
              ArnLike: { 'aws:SourceArn': { 'Fn::Join': ['', Match.arrayWith([':alarm:bridge-*'])] } },
            },
          }),
        ],
      },
    })
  })

  it("is encrypted by the operator's key, where there is one", () => {
    const { template } = create({ settings: { alarmEmail: 'on-call@example.com' }, withKey: true })
    template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: keyArn })
  })
})

describe('cdk-nag', () => {
  it('finds nothing in what monitoring makes', () => {
    const { app, outdir } = create({ settings: { alarmEmail: 'on-call@example.com' } })
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
    // The stubs beside it have findings, and those end the synth.
    expect(() => app.synth()).toThrow()
    const report = z
      .object({
        pluginReports: z.array(
          z.object({
            violations: z.array(
              z.object({ violatingConstructs: z.array(z.object({ constructPath: z.string() })) }),
            ),
          }),
        ),
      })
      .parse(JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')))
    const paths = report.pluginReports.flatMap(({ violations }) =>
      violations.flatMap(one => one.violatingConstructs.map(({ constructPath }) => constructPath)),
    )
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter(path => path.includes('/Monitoring/'))).toEqual([])
  })
})
