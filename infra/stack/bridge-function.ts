import { join } from 'node:path'
import { ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib'
import type { ISecurityGroup, ISubnet, IVpc } from 'aws-cdk-lib/aws-ec2'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { commonVariables } from '../../shared/adapters/environment.ts'
import { bundlingOf, projectRoot } from './bundling.ts'
import type { FunctionName, Names } from './names.ts'
import { joinNetwork, networkFinding, onQueues, useKey } from './permissions.ts'
import type { StackSettings } from './settings.ts'
import { keptUnlessNew, type State } from './state.ts'

/** An invocation that waited longer is not worth having: the next one is due, and does its work as well. */
const eventAgeMax = Duration.seconds(60)

export type Network = { vpc: IVpc; subnets: ISubnet[]; securityGroups: ISecurityGroup[] }

/** What every function of the stack is made with. */
export type FunctionSurroundings = {
  names: Names
  settings: StackSettings
  state: State
  network: Network | null
  encryptionKey: IKey | null
}

export type BridgeFunctionProps = FunctionSurroundings & {
  name: FunctionName
  description: string
  timeout: Duration
  environment: Record<string, string>
  statements: readonly PolicyStatement[]
  reservedConcurrency?: number
}

/** One of the three functions, with its role, its log group and what becomes of invocations that fail. */
export class BridgeFunction extends Construct {
  readonly lambda: NodejsFunction
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: BridgeFunctionProps) {
    super(scope, id)
    this.logGroup = createLogGroup(this, props)
    const role = createRole(this, props, this.logGroup)
    this.lambda = createLambda(this, props, { role, logGroup: this.logGroup })
  }
}

/** What all functions are told. */
export const commonEnvironment = ({ names, settings, state }: FunctionSurroundings): EnvironmentOfCommon => ({
  TABLE_NAME: state.table.tableName,
  FAST_QUEUE_URL: state.queues.fast.queueUrl,
  SLOW_QUEUE_URL: state.queues.slow.queueUrl,
  SECRET_PREFIX: names.secretPrefix,
  SERVICE_NAME: settings.prefix,
  LOG_LEVEL: settings.logLevel,
})

type EnvironmentOfCommon = Record<keyof typeof commonVariables, string>

const createLogGroup = (scope: Construct, { names, name, settings, encryptionKey }: BridgeFunctionProps) =>
  new LogGroup(scope, 'Logs', {
    logGroupName: names.logGroupOf(name),
    retention: settings.logRetentionDays,
    removalPolicy: keptUnlessNew(settings),
    // The policy of an imported key is out of reach here: it has to let logs.<region>.amazonaws.com use it, or the
    // log group can't be made (CloudWatch Logs User Guide, "Encrypt log data in CloudWatch Logs using AWS KMS").
    ...(encryptionKey !== null && { encryptionKey }),
  })

const createRole = (scope: Construct, props: BridgeFunctionProps, logGroup: LogGroup): Role => {
  // Not AWS's managed policy, which lets a function write to every log group there is.
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: `What the ${props.name} of ${props.names.stack} may do`,
  })
  const functionArn = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    resourceName: props.names.functionOf(props.name),
  })
  const statements = [
    new PolicyStatement({
      sid: 'WriteLogs',
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
    onQueues('TellOfFailedRuns', ['SendMessage'], [props.state.queues.failedRuns]),
    ...props.statements,
    ...(props.encryptionKey === null ? [] : useKey(props.encryptionKey)),
    ...(props.network === null ? [] : joinNetwork(functionArn)),
  ]
  for (const statement of statements) role.addToPrincipalPolicy(statement)
  if (props.network !== null) Validations.of(role).acknowledge(networkFinding)
  return role
}

const createLambda = (
  scope: Construct,
  props: BridgeFunctionProps,
  { role, logGroup }: { role: Role; logGroup: LogGroup },
): NodejsFunction => {
  const { name, settings, network } = props
  const lambda = new NodejsFunction(scope, 'Function', {
    functionName: props.names.functionOf(name),
    description: props.description,
    entry: join(projectRoot, 'functions', name, 'index.ts'),
    projectRoot,
    depsLockFilePath: join(projectRoot, 'package-lock.json'),
    bundling: bundlingOf(scope, name),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: settings.memoryMb,
    timeout: props.timeout,
    role,
    logGroup,
    environment: props.environment,
    // A switch of SDK 2; the adapters set up connections themselves.
    awsSdkConnectionReuse: false,
    // X-Ray takes traces only by permissions on "*" (Service Authorization Reference, "AWS X-Ray"), and tells of one
    // function at a time what the logs say with event and endpoint.
    tracing: Tracing.DISABLED,
    // Powertools writes JSON itself; in Lambda's own JSON format a log level could drop metrics.
    loggingFormat: LoggingFormat.TEXT,
    retryAttempts: 0,
    maxEventAge: eventAgeMax,
    onFailure: destinationOf(props.state.queues.failedRuns),
    ...(network !== null && {
      vpc: network.vpc,
      vpcSubnets: { subnets: network.subnets },
      securityGroups: network.securityGroups,
    }),
    ...(props.reservedConcurrency !== undefined && {
      reservedConcurrentExecutions: props.reservedConcurrency,
    }),
  })
  return lambda
}

/** CDK's own destination would also let the role read the queue's attributes. */
const destinationOf = (queue: IQueue) => ({ bind: () => ({ destination: queue.queueArn }) })
