import * as z from 'zod'
import type { Assembly, Resource } from './assembly.ts'

export const region = 'us-east-1'
/** The account that fauxqs says it is. */
export const accountId = '000000000000'

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::Region': region,
  'AWS::AccountId': accountId,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
}

export const arnOf = (service: string, rest: string): string =>
  `arn:aws:${service}:${region}:${accountId}:${rest}`

/** What CloudFormation would put in place of `Ref` and `Fn::GetAtt`. */
type Facts = { ref: string; attributes: Readonly<Record<string, string>> }
type FactsOf = (name: string, where: Where) => Facts

/** Where a queue's URL leads: what a function is given must lead through its own proxy. */
export type Where = { queueUrl: (name: string) => string; secretArn: (name: string) => string }

const withArn = (
  nameProperty: string,
  service: string,
  resource: string,
): { nameProperty: string; facts: FactsOf } => ({
  nameProperty,
  facts: name => ({ ref: name, attributes: { Arn: arnOf(service, `${resource}${name}`) } }),
})

/** Of each type that something else in the template may refer to. */
const knownTypes: Readonly<Record<string, { nameProperty: string; facts: FactsOf }>> = {
  'AWS::DynamoDB::Table': withArn('TableName', 'dynamodb', 'table/'),
  'AWS::DynamoDB::GlobalTable': withArn('TableName', 'dynamodb', 'table/'),
  'AWS::Lambda::Function': withArn('FunctionName', 'lambda', 'function:'),
  'AWS::Logs::LogGroup': {
    nameProperty: 'LogGroupName',
    // CloudFormation's own ends so, to cover the streams.
    facts: name => ({ ref: name, attributes: { Arn: arnOf('logs', `log-group:${name}:*`) } }),
  },
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    facts: (name, { queueUrl }) => ({
      ref: queueUrl(name),
      attributes: { Arn: arnOf('sqs', name), QueueName: name, QueueUrl: queueUrl(name) },
    }),
  },
  'AWS::SecretsManager::Secret': {
    nameProperty: 'Name',
    facts: (name, { secretArn }) => ({ ref: secretArn(name), attributes: { Id: secretArn(name) } }),
  },
  'AWS::Scheduler::ScheduleGroup': withArn('Name', 'scheduler', 'schedule-group/'),
}

export type Resolver = {
  /** The value as CloudFormation would hand it on. Throws for what the emulators have no answer to. */
  resolve(value: unknown): unknown
  /** The same, where it must be text. */
  text(value: unknown): string
}

const textSchema = z.string()
const getAttSchema = z.union([
  z.tuple([z.string(), z.string()]),
  z.templateLiteral([z.string(), '.', z.string()]).transform((text): [string, string] => {
    const dot = text.indexOf('.')
    return [text.slice(0, dot), text.slice(dot + 1)]
  }),
])
const joinSchema = z.tuple([z.string(), z.array(z.unknown())])
const subSchema = z.union([
  z.string().transform((text): [string, Record<string, unknown>] => [text, {}]),
  z.tuple([z.string(), z.record(z.string(), z.unknown())]),
])

/** CloudFormation's functions, as far as a function's environment and policies use them; any other one is an error. */
export const createResolver = (assembly: Assembly, where: Where): Resolver => {
  const factsOf = (id: string): Facts => {
    const resource = assembly.resource(id)
    const known = knownTypes[resource.type]
    if (known === undefined)
      throw new Error(`${id} is a ${resource.type}: the harness has nothing to put for it`)
    return known.facts(nameOf(resource, known.nameProperty), where)
  }
  const nameOf = (resource: Resource, property: string): string => {
    const name = resource.properties[property]
    if (name === undefined)
      throw new Error(`${resource.id} has no ${property}: the stack names what it creates`)
    return text(name)
  }
  const ref = (id: string): string => pseudoParameters[id] ?? factsOf(id).ref
  const attribute = ([id, name]: [string, string]): string => {
    const value = factsOf(id).attributes[name]
    if (value === undefined) throw new Error(`the harness knows no attribute ${name} of ${id}`)
    return value
  }
  const placeholder = (inner: string, own: Record<string, unknown>): string => {
    if (inner.startsWith('!')) return `\${${inner.slice(1)}}`
    if (inner in own) return text(own[inner])
    return inner.includes('.') ? attribute(getAttSchema.parse(inner)) : ref(inner)
  }
  const functions: Readonly<Record<string, (argument: unknown) => string>> = {
    Ref: argument => ref(textSchema.parse(argument)),
    'Fn::GetAtt': argument => attribute(getAttSchema.parse(argument)),
    'Fn::Join': argument => {
      const [separator, parts] = joinSchema.parse(argument)
      return parts.map(text).join(separator)
    },
    'Fn::Sub': argument => {
      const [template, own] = subSchema.parse(argument)
      return template.replace(/\$\{([^}]+)\}/g, (_all, inner: string) => placeholder(inner, own))
    },
  }
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    const [name, argument] = entries[0] ?? []
    if (entries.length === 1 && name !== undefined && (name === 'Ref' || name.startsWith('Fn::'))) {
      const apply = functions[name]
      if (apply === undefined) throw new Error(`the harness does not know ${name}`)
      return apply(argument)
    }
    return Object.fromEntries(entries.map(([key, inner]) => [key, resolve(inner)]))
  }
  const text = (value: unknown): string => textSchema.parse(resolve(value))
  return { resolve, text }
}
