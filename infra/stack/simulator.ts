import { join } from 'node:path'
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import {
  Architecture,
  FunctionUrlAuthType,
  InvokeMode,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda'
import { type BundlingOptions, NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { tokenSecretName } from '../../shared/domain/secret-store.ts'
import { readLambdaSettings, tokenSecretVariable } from '../simulator/lambda-settings.ts'
import { bundlingOf, projectRoot } from './bundling.ts'
import { denyPlainHttp } from './secret-permissions.ts'

/** The bridge's poller finds the token by the source's id: this one needs no token of its own. */
export const simulatorSourceId = 'simulator'
const tokenLength = 64

export type SimulatorServiceProps = {
  /** The stack's: of the names of the function, its log group and its secret. */
  prefix: string
  logRetention: RetentionDays
  /** For the secret and the log; without it, AWS's own. */
  encryptionKey: IKey | null
  /** `SIMULATOR_RATE` and the like (infra/simulator/README.md); whatever is wrong with them fails at synth. */
  variables?: Readonly<Record<string, string>>
}

/**
 * The email service's stand-in behind a function URL, for staging and smoke tests. Nothing in it is worth keeping, so
 * that all of it goes with it, whatever the stack's removal policy: what stays behind under its name would be in the
 * way of the next one.
 */
export class SimulatorService extends Construct {
  /** Ends with a slash. */
  readonly url: string

  constructor(scope: Construct, id: string, props: SimulatorServiceProps) {
    super(scope, id)
    const { prefix } = props
    const secretName = `${prefix}/${tokenSecretName(simulatorSourceId)}`
    const environment = { ...props.variables, [tokenSecretVariable]: secretName }
    readLambdaSettings(environment)

    const secret = this.createToken(secretName, props)
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/${prefix}/simulator`,
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(props.encryptionKey !== null && { encryptionKey: props.encryptionKey }),
    })
    const simulator = new NodejsFunction(this, 'Function', {
      functionName: `${prefix}-simulator`,
      description: 'The email service, simulated: for staging and smoke tests',
      entry: join(projectRoot, 'infra', 'simulator', 'lambda.ts'),
      projectRoot,
      depsLockFilePath: join(projectRoot, 'package-lock.json'),
      bundling: bundlingWithRecords(this),
      // A switch of SDK 2.
      awsSdkConnectionReuse: false,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.seconds(10),
      // No reserved concurrency, though it would bound what a stranger can make it cost: Lambda keeps 10 executions
      // unreserved, and an account may have no more in all (Lambda Developer Guide, "Configuring reserved concurrency").
      role: this.createRole(secret, logGroup, props.encryptionKey),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // A line of the simulator's own tells of each request.
      systemLogLevelV2: SystemLogLevel.WARN,
      environment,
    })
    // Whoever has the token is let in, as at the real service: the simulator checks it. To what IAM needs for that
    // (both actions, since October 2025: Lambda Developer Guide, "Control access to Lambda function URLs") this adds.
    this.url = simulator.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.BUFFERED,
    }).url
  }

  private createToken(secretName: string, { prefix, encryptionKey }: SimulatorServiceProps): Secret {
    const secret = new Secret(this, 'Token', {
      secretName,
      description: `Token of the simulator of ${prefix}, and of the source "${simulatorSourceId}"`,
      generateSecretString: { passwordLength: tokenLength, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
      ...(encryptionKey !== null && { encryptionKey }),
    })
    secret.addToResourcePolicy(denyPlainHttp())
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'It opens made-up records only; whoever wants another token writes it into the secret.',
    })
    return secret
  }

  /** May read the one secret and write to the one log. */
  private createRole(secret: Secret, logGroup: LogGroup, encryptionKey: IKey | null): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    role.addToPolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
    )
    logGroup.grantWrite(role)
    if (encryptionKey !== null) {
      role.addToPolicy(
        new PolicyStatement({
          actions: ['kms:Decrypt'],
          resources: [encryptionKey.keyArn],
          conditions: {
            StringEquals: { 'kms:ViaService': `secretsmanager.${Stack.of(this).region}.amazonaws.com` },
          },
        }),
      )
    }
    return role
  }
}

/** As any function's, and beside it the records that the code reads; their licence goes where they go. */
const bundlingWithRecords = (scope: Construct): BundlingOptions => {
  const bundling = bundlingOf(scope, 'simulator')
  const records = join(projectRoot, 'infra', 'simulator', 'data')
  return {
    ...bundling,
    commandHooks: {
      beforeBundling: () => [],
      beforeInstall: () => [],
      afterBundling: (from, to) => [
        ...(bundling.commandHooks?.afterBundling(from, to) ?? []),
        `cp -R "${records}" "${to}/data"`,
      ],
    },
  }
}
