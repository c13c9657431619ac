import * as z from 'zod'
import { type Assembly, type Resource, required } from './assembly.ts'
import { type Resolver, region } from './intrinsics.ts'

const propertiesSchema = z.looseObject({
  FunctionName: z.string(),
  Handler: z.string(),
  Runtime: z.string(),
  MemorySize: z.number(),
  Timeout: z.number(),
  Code: z.looseObject({ S3Key: z.string() }),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  LoggingConfig: z.looseObject({ LogGroup: z.unknown() }),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
})

/** A function as the template has it. */
export type FunctionSettings = {
  id: string
  name: string
  handler: string
  runtime: string
  memoryMb: number
  timeoutSeconds: number
  assetFolder: string
  roleId: string
  logGroup: unknown
  /** As the log group, with the functions of CloudFormation still in it. */
  variables: Readonly<Record<string, unknown>>
}

export const readFunction = (assembly: Assembly, functionName: string): FunctionSettings => {
  const isIt = ({ properties }: Resource): boolean => properties['FunctionName'] === functionName
  const resource = required(assembly.ofType('AWS::Lambda::Function').find(isIt), `a function ${functionName}`)
  const properties = propertiesSchema.parse(resource.properties)
  return {
    id: resource.id,
    name: functionName,
    handler: properties.Handler,
    runtime: properties.Runtime,
    memoryMb: properties.MemorySize,
    timeoutSeconds: properties.Timeout,
    assetFolder: assembly.assetFolder(properties.Code.S3Key),
    roleId: properties.Role['Fn::GetAtt'][0],
    logGroup: properties.LoggingConfig.LogGroup,
    variables: properties.Environment.Variables,
  }
}

/** The three things that a test adds; everything else is the template's, or AWS's own. */
export type Additions = {
  /** Where the emulators are, and credentials that they don't check. */
  emulators: Readonly<Record<string, string>>
  /** Which authority signed the receiver's certificate. */
  authority: Readonly<Record<'NODE_EXTRA_CA_CERTS', string>>
  /** Carries the one public test address to loopback. */
  preload: Readonly<Record<'NODE_OPTIONS', string>>
}

/** Where all the services are reached, through the function's own proxy. */
export const emulatorAddition = (endpoint: string): Additions['emulators'] => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_EVENTBRIDGE: endpoint,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
  AWS_ENDPOINT_URL_SQS: endpoint,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
})

/** Variables that Lambda sets itself (Lambda Developer Guide, "Defined runtime environment variables"). */
export const reservedVariables = (
  settings: FunctionSettings,
  resolver: Resolver,
): Readonly<Record<string, string>> => ({
  _HANDLER: settings.handler,
  AWS_DEFAULT_REGION: region,
  AWS_REGION: region,
  AWS_EXECUTION_ENV: `AWS_Lambda_${settings.runtime}`,
  AWS_LAMBDA_FUNCTION_NAME: settings.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMb),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: resolver.text(settings.logGroup),
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]0123456789abcdef',
  LAMBDA_TASK_ROOT: settings.assetFolder,
  TZ: ':UTC',
})

/** The environment in the template, resolved. */
export const templateVariables = (
  { variables }: FunctionSettings,
  resolver: Resolver,
): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, resolver.text(value)]))

/** The whole environment of the process. Throws where an addition would change what the template or AWS sets. */
export const environmentOf = (
  template: Readonly<Record<string, string>>,
  reserved: Readonly<Record<string, string>>,
  { emulators, authority, preload }: Additions,
): Record<string, string> => {
  const parts = [template, reserved, emulators, authority, preload]
  const names = parts.flatMap(part => Object.keys(part))
  // The template's options stay, and the preload's come behind them.
  const options = [template['NODE_OPTIONS'], preload.NODE_OPTIONS].filter(part => part !== undefined)
  const twice = names.filter((name, at) => names.indexOf(name) !== at && name !== 'NODE_OPTIONS')
  if (twice.length > 0) throw new Error(`the environment would have twice: ${twice.join(', ')}`)
  return Object.assign({}, ...parts, { NODE_OPTIONS: options.join(' ') })
}
