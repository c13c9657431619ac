import { Aws } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { tableDefinition } from '../../shared/adapters/dynamodb/table.ts'
import { indexedStates } from '../../shared/domain/delivery/delivery.ts'

/** Partition keys of each kind of item, as patterns of policies (shared/adapters/dynamodb/keys.ts makes the keys). */
export const itemKinds = {
  source: ['SOURCE'],
  endpoint: ['ENDPOINT'],
  cursor: ['CURSOR#*'],
  event: ['EVENT#*'],
  delivery: ['DELIVERY#*'],
  quarantine: ['QUARANTINE#*'],
  mark: ['MARK#*'],
  pace: ['PACE#*'],
  heartbeat: ['HEARTBEAT#*'],
} as const satisfies Record<string, readonly string[]>
export type ItemKind = keyof typeof itemKinds

/** Those of the index: there the leading key is the index's own partition key. */
export const dueIndexKeys: readonly string[] = indexedStates.map(state => `${state}#*`)

/** No Scan: it has no leading key, and a condition on all of its values holds where there are none. */
type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'BatchWriteItem'
  | 'UpdateItem'
  | 'DeleteItem'

const onKeys = (sid: string, resource: string, actions: readonly ItemAction[], keys: readonly string[]) =>
  new PolicyStatement({
    sid,
    actions: actions.map(action => `dynamodb:${action}`),
    resources: [resource],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] } },
  })

/** Actions on items of some kinds. */
export const onItems = (
  table: Pick<Table, 'tableArn'>,
  sid: string,
  actions: readonly ItemAction[],
  kinds: readonly ItemKind[],
): PolicyStatement =>
  onKeys(
    sid,
    table.tableArn,
    actions,
    kinds.flatMap(kind => itemKinds[kind]),
  )

/** Asking the index what is due. */
export const queryDueIndex = (table: Pick<Table, 'tableArn'>): PolicyStatement =>
  onKeys('QueryDueIndex', `${table.tableArn}/index/${tableDefinition.index.name}`, ['Query'], dueIndexKeys)

export const onQueues = (
  sid: string,
  actions: readonly string[],
  queues: readonly IQueue[],
): PolicyStatement =>
  new PolicyStatement({
    sid,
    actions: actions.map(action => `sqs:${action}`),
    resources: queues.map(queue => queue.queueArn),
  })

/** What a customer managed key is used for, and only through the services that hold what it encrypts. */
export const useKey = (key: IKey): PolicyStatement[] => {
  const through = (sid: string, services: readonly string[], actions: readonly string[]) =>
    new PolicyStatement({
      sid,
      actions: actions.map(action => `kms:${action}`),
      resources: [key.keyArn],
      conditions: {
        StringEquals: { 'kms:ViaService': services.map(service => `${service}.${Aws.REGION}.amazonaws.com`) },
      },
    })
  return [
    // DynamoDB developer guide, "DynamoDB encryption at rest usage notes": what it needs of whoever uses the table,
    // without the grant that is made once, with the table.
    through(
      'UseKeyOfTable',
      ['dynamodb'],
      [
        'DescribeKey',
        'Decrypt',
        'Encrypt',
        'GenerateDataKey',
        'GenerateDataKeyWithoutPlaintext',
        'ReEncryptFrom',
        'ReEncryptTo',
      ],
    ),
    ...useKeyOfQueues(key),
    through('UseKeyOfSecrets', ['secretsmanager'], ['Decrypt']),
  ]
}

/** Sending takes both (SQS developer guide, "Key management", permissions of producers); receiving the first. */
export const useKeyOfQueues = (key: IKey): PolicyStatement[] => [
  new PolicyStatement({
    sid: 'UseKeyOfQueues',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': [`sqs.${Aws.REGION}.amazonaws.com`] } },
  }),
]

const networkActions = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
]

/**
 * What Lambda does with a function's role to join it to a VPC, on resources that are not there yet. The code of the
 * function is denied it all (Lambda Developer Guide, "Giving Lambda functions access to resources in an Amazon VPC",
 * "Required IAM permissions").
 */
export const joinNetwork = (functionArn: string): PolicyStatement[] => [
  new PolicyStatement({ sid: 'JoinNetwork', actions: networkActions, resources: ['*'] }),
  new PolicyStatement({
    sid: 'DenyNetworkToCode',
    effect: Effect.DENY,
    actions: networkActions,
    resources: ['*'],
    conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
  }),
]

export const networkFinding = {
  id: 'AwsSolutions-IAM5[Resource::*]',
  reason:
    'Lambda makes the network interfaces with this role, before they have ids; the code is denied the same actions.',
}
