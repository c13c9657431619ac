import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { type IQueue, Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { tableDefinition } from '../../shared/adapters/dynamodb/table.ts'
import { queueSettings } from '../../shared/adapters/sqs/queues.ts'
import { masterSecretName } from '../../shared/domain/secret-store.ts'
import type { Names } from './names.ts'
import { denyPlainHttp } from './secret-permissions.ts'
import type { StackSettings } from './settings.ts'

/** 64 of 62 characters are 381 bits: more than the 256 of the keys that are derived from them. */
const masterSecretLength = 64

export type StateProps = {
  names: Names
  settings: Pick<StackSettings, 'removalPolicy' | 'batchingWindowSeconds'>
  encryptionKey: IKey | null
}

/** What outlives an invocation: the table, the queues, the master secret. */
export class State extends Construct {
  readonly table: Table
  readonly queues: { fast: IQueue; slow: IQueue; deadLetters: IQueue; failedRuns: IQueue }

  constructor(scope: Construct, id: string, props: StateProps) {
    super(scope, id)
    this.table = createTable(this, props)
    this.queues = createQueues(this, props)
    createMasterSecret(this, props)
  }
}

const createTable = (scope: Construct, { names, settings, encryptionKey }: StateProps): Table => {
  const { partitionKey, sortKey, index, ttl } = tableDefinition
  const text = (name: string) => ({ name, type: AttributeType.STRING })
  const table = new Table(scope, 'Table', {
    tableName: names.table,
    partitionKey: text(partitionKey),
    sortKey: text(sortKey),
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: ttl,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: settings.removalPolicy === 'retain',
    removalPolicy: settings.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    ...(encryptionKey === null
      ? // Whose uses CloudTrail shows, unlike those of a key that AWS owns.
        { encryption: TableEncryption.AWS_MANAGED }
      : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
  })
  table.addGlobalSecondaryIndex({
    indexName: index.name,
    partitionKey: text(index.partitionKey),
    sortKey: text(index.sortKey),
    projectionType: ProjectionType.KEYS_ONLY,
  })
  return table
}

const createQueues = (scope: Construct, { names, settings, encryptionKey }: StateProps): State['queues'] => {
  const common = {
    retentionPeriod: Duration.seconds(queueSettings.retentionSeconds),
    receiveMessageWaitTime: Duration.seconds(queueSettings.receiveWaitSeconds),
    // Twice said by AWS, 256 KiB and 1 MiB: the latter since August 2025 (SQS developer guide, "Amazon SQS message
    // quotas"), where 256 KiB is still what a queue gets that does not ask.
    maxMessageSizeBytes: queueSettings.messageBytesMax,
    enforceSSL: true,
    ...(encryptionKey === null
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  } satisfies QueueProps
  // By their names: the dead letters name the lanes, and the lanes the dead letters.
  const lanes = [names.queues.fast, names.queues.slow].map(queueName =>
    Queue.fromQueueArn(
      scope,
      `Named-${queueName}`,
      Stack.of(scope).formatArn({ service: 'sqs', resource: queueName }),
    ),
  )
  const deadLetters = new Queue(scope, 'DeadLetters', {
    ...common,
    queueName: names.queues.deadLetters,
    redriveAllowPolicy: { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues: lanes },
  })
  const lane = (id: string, queueName: string): Queue =>
    new Queue(scope, id, {
      ...common,
      queueName,
      visibilityTimeout: Duration.seconds(
        // What a batch is gathered for counts too (Lambda Developer Guide, "Using Lambda with Amazon SQS").
        queueSettings.visibilityTimeoutSeconds + settings.batchingWindowSeconds,
      ),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: queueSettings.maxReceiveCount },
    })
  const failedRuns = new Queue(scope, 'FailedRuns', { ...common, queueName: names.queues.failedRuns })
  Validations.of(failedRuns).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'It is itself where failures end: nothing receives from it but a person, so nothing can fail to.',
  })
  return {
    fast: lane('Fast', names.queues.fast),
    slow: lane('Slow', names.queues.slow),
    deadLetters,
    failedRuns,
  }
}

const createMasterSecret = (scope: Construct, { names, settings, encryptionKey }: StateProps): void => {
  const secret = new Secret(scope, 'MasterSecret', {
    secretName: names.secretPrefix + masterSecretName,
    description: `Every signing key of the bridge ${names.stack} is derived from it. Replacing it changes all of them at once.`,
    // Never change this: CloudFormation makes a new value where any of it changes (Template Reference,
    // AWS::SecretsManager::Secret, "GenerateSecretString"), and every receiver would refuse every event.
    generateSecretString: { passwordLength: masterSecretLength, excludePunctuation: true },
    // Kept, but for a first deployment that fails: its next try would find the name taken.
    removalPolicy: keptUnlessNew(settings),
    ...(encryptionKey !== null && { encryptionKey }),
  })
  secret.addToResourcePolicy(denyPlainHttp())
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'Every receiver verifies with a key derived from it: it is rotated by endpoint, with key versions that overlap, never behind their backs.',
  })
}

/** For what holds nothing yet when a first deployment fails. */
export const keptUnlessNew = ({ removalPolicy }: Pick<StackSettings, 'removalPolicy'>): RemovalPolicy =>
  removalPolicy === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY
