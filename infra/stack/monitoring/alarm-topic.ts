import { Aws } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import type { StackSettings } from '../settings.ts'

export type AlarmTopicProps = {
  prefix: string
  settings: Pick<StackSettings, 'alarmEmail' | 'alarmTopicArn'>
  encryptionKey: IKey | null
}

/** Where alarms are told: a topic of the operator's, or one of the stack's with an address; or nowhere. */
export const alarmTopicOf = (
  scope: Construct,
  { prefix, settings, encryptionKey }: AlarmTopicProps,
): ITopic | undefined => {
  const { alarmEmail, alarmTopicArn } = settings
  if (alarmTopicArn !== undefined) return Topic.fromTopicArn(scope, 'Topic', alarmTopicArn)
  if (alarmEmail === undefined) return undefined
  const topic = new Topic(scope, 'Topic', {
    topicName: `${prefix}-alarms`,
    displayName: prefix,
    enforceSSL: true,
    // Never AWS's key for SNS: its policy, which nobody can change, keeps CloudWatch out, and alarms would fail in
    // silence (AWS Knowledge Center, "How do I configure a CloudWatch alarm with an encrypted SNS topic?"). The policy
    // of an imported key is out of reach here: it has to let cloudwatch.amazonaws.com use kms:Decrypt and
    // kms:GenerateDataKey*. What is in an alarm is names and numbers.
    ...(encryptionKey !== null && { masterKey: encryptionKey }),
  })
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        ArnLike: {
          'aws:SourceArn': `arn:${Aws.PARTITION}:cloudwatch:${Aws.REGION}:${Aws.ACCOUNT_ID}:alarm:${prefix}-*`,
        },
      },
    }),
  )
  topic.addSubscription(new EmailSubscription(alarmEmail))
  return topic
}
