import * as z from 'zod'
import { type Assembly, required } from './assembly.ts'
import type { AwsCall } from './aws-calls.ts'
import type { Resolver } from './intrinsics.ts'

const oneOrMore = z.union([z.string().transform(text => [text]), z.array(z.string())])
/** Strict: a policy that says more than this evaluator understands must not pass for understood. */
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore,
  Resource: oneOrMore,
  Condition: z.record(z.string(), z.record(z.string(), oneOrMore)).default({}),
})
export type Statement = z.infer<typeof statementSchema>

const documentSchema = z.object({ Statement: z.array(statementSchema) })
const policySchema = z.object({ PolicyDocument: documentSchema })
const roleRef = z.object({ Ref: z.string() })
const attachedSchema = z.object({ Roles: z.array(z.unknown()).default([]) })
const roleSchema = z.object({
  ManagedPolicyArns: z
    .tuple([], 'a managed policy says more than its name: write its actions out')
    .optional(),
  Policies: z.array(policySchema).default([]),
})

/** All statements of a role: its own policies, and those attached to it. */
export const statementsOfRole = (assembly: Assembly, resolver: Resolver, roleId: string): Statement[] => {
  const role = assembly.resource(roleId)
  const inline = roleSchema.parse(resolver.resolve(role.properties)).Policies
  const attached = assembly
    .ofType('AWS::IAM::Policy')
    .filter(({ properties }) =>
      attachedSchema.parse(properties).Roles.some(of => roleRef.safeParse(of).data?.Ref === roleId),
    )
    .map(({ properties: { PolicyDocument } }) =>
      policySchema.parse({ PolicyDocument: resolver.resolve(PolicyDocument) }),
    )
  return [...inline, ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
}

/** `*` and `?`, as in policies. */
export const matches = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(text)

const actionMatches = (pattern: string, action: string): boolean =>
  matches(pattern.toLowerCase(), action.toLowerCase())

const leadingKeysName = 'dynamodb:LeadingKeys'

/** Values of a condition key in this request. The emulators speak plain HTTP; what is deployed never does. */
const valuesOf = (key: string, call: AwsCall): readonly string[] => {
  if (key === leadingKeysName) return call.leadingKeys
  if (key === 'events:source') return call.eventSources ?? []
  if (key === 'aws:SecureTransport') return ['true']
  throw new Error(`the harness does not know the condition key ${key}`)
}

type Test = (value: string, pattern: string) => boolean
const equals: Test = (value, pattern) => value === pattern
const tests: Readonly<Record<string, Test>> = {
  StringLike: (value, pattern) => matches(pattern, value),
  StringEquals: equals,
  Bool: equals,
}

/**
 * One condition (IAM User Guide, "Set operators"): `ForAllValues` holds where the request has no such key at all, which
 * is why the harness never reads a call without its leading keys.
 */
const conditionHolds = (
  operator: string,
  key: string,
  patterns: readonly string[],
  call: AwsCall,
): boolean => {
  const values = valuesOf(key, call)
  if (operator === 'Null') return patterns.includes(String(values.length === 0))
  const [, set = '', name = ''] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(operator) ?? []
  const test = required(tests[name], `a condition operator ${operator}`)
  const passes = (value: string): boolean => patterns.some(pattern => test(value, pattern))
  return set === 'ForAllValues' ? values.every(passes) : values.some(passes)
}

const applies = (statement: Statement, call: AwsCall): boolean =>
  statement.Action.some(pattern => actionMatches(pattern, call.action)) &&
  statement.Resource.some(pattern => matches(pattern, call.resource)) &&
  Object.entries(statement.Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, patterns]) => conditionHolds(operator, key, patterns, call)),
  )

/** Whether a role may make this call: some statement allows it, and none denies it. */
export const isAllowed = (statements: readonly Statement[], call: AwsCall): boolean => {
  const effects = statements.filter(statement => applies(statement, call)).map(({ Effect }) => Effect)
  return effects.includes('Allow') && !effects.includes('Deny')
}

/** The smallest thing that is allowed: one action, one resource, one pattern of keys. */
export type Grant = { action: string; resource: string; keys: string | null }

const leadingPatterns = ({ Condition }: Statement): readonly string[] =>
  Object.values(Condition).flatMap(keys => keys[leadingKeysName] ?? [])

/** Everything that a role is allowed, one by one. */
export const grantsOf = (statements: readonly Statement[]): Grant[] =>
  statements
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(statement => {
      const patterns = leadingPatterns(statement)
      return statement.Action.flatMap(action =>
        statement.Resource.flatMap(resource =>
          (patterns.length === 0 ? [null] : patterns).map(keys => ({ action, resource, keys })),
        ),
      )
    })

/** Whether a call made use of a grant. */
export const uses = (call: AwsCall, { action, resource, keys }: Grant): boolean =>
  actionMatches(action, call.action) &&
  matches(resource, call.resource) &&
  (keys === null || call.leadingKeys.some(key => matches(keys, key)))

/** As a line of a list: `dynamodb:PutItem table/feedback-bridge CURSOR#*`. */
export const grantText = ({ action, resource, keys }: Grant): string =>
  [action, resource.split(':').slice(5).join(':') || resource, keys].filter(part => part !== null).join(' ')
