import * as z from 'zod'
import type { Synthesized } from './synth-template.ts'

const oneOrMore = z.union([z.unknown().array(), z.unknown().transform(one => [one])])
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore,
  Resource: oneOrMore,
  Principal: z.unknown().optional(),
  Condition: z.record(z.string(), z.record(z.string(), oneOrMore)).default({}),
})
const documentSchema = z.object({ Statement: z.array(statementSchema) })
const policySchema = z.object({
  PolicyDocument: documentSchema,
  Roles: z.array(z.object({ Ref: z.string() })),
})

/** A statement as text: ARNs with the names of resources in place of CloudFormation's functions. */
export type Statement = {
  sid: string
  effect: 'Allow' | 'Deny'
  actions: string[]
  resources: string[]
  conditions: Readonly<Record<string, Readonly<Record<string, unknown[]>>>>
}

const pseudo: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '123456789012',
  'AWS::URLSuffix': 'amazonaws.com',
}

const joinSchema = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) })
const refSchema = z.object({ Ref: z.string() })
const attributeSchema = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) })

/** A value with the logical ids of resources as `<Id.Attribute>`. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  const join = joinSchema.safeParse(value).data
  if (join) return join['Fn::Join'][1].map(textOf).join(join['Fn::Join'][0])
  const ref = refSchema.safeParse(value).data
  if (ref) return pseudo[ref.Ref] ?? `<${ref.Ref}>`
  const [id, attribute] = attributeSchema.parse(value)['Fn::GetAtt']
  return `<${id}.${attribute}>`
}

const readStatement = (statement: z.infer<typeof statementSchema>): Statement => ({
  sid: statement.Sid ?? '',
  effect: statement.Effect,
  actions: statement.Action.map(textOf),
  resources: statement.Resource.map(textOf),
  conditions: Object.fromEntries(
    Object.entries(statement.Condition).map(([operator, keys]) => [
      operator,
      Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, values.map(textOf)])),
    ]),
  ),
})

/** The statements of every role, by the role's logical id. */
export const statementsByRole = ({ resources }: Synthesized): Map<string, Statement[]> => {
  const byRole = new Map<string, Statement[]>()
  for (const { Type, Properties } of Object.values(resources)) {
    if (Type !== 'AWS::IAM::Policy') continue
    const { PolicyDocument, Roles } = policySchema.parse(Properties)
    for (const { Ref } of Roles) {
      byRole.set(Ref, [...(byRole.get(Ref) ?? []), ...PolicyDocument.Statement.map(readStatement)])
    }
  }
  return byRole
}

/** The statements of the role that stands at a path of constructs, as `Poller/Role`. */
export const statementsOf = (synthesized: Synthesized, path: string): Statement[] => {
  const name = path.replaceAll('/', '')
  const found = [...statementsByRole(synthesized)].filter(([id]) => id.startsWith(name))
  if (found.length !== 1) throw new Error(`there should be one role ${path}, not ${found.length}`)
  return found.flatMap(([, statements]) => statements)
}

/** Each action on each resource, and the leading keys that it is for: as short as can be read. */
export const grantsOf = (statements: readonly Statement[]): string[] =>
  statements.flatMap(({ actions, resources, conditions }) =>
    actions.flatMap(action =>
      resources.map(resource => {
        const of = conditions['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []
        return [action, shortName(resource), ...of].join(' ')
      }),
    ),
  )

/** Without account, region and CDK's hashes. */
const shortName = (resource: string): string =>
  resource
    .replace('arn:aws:secretsmanager:eu-west-1:123456789012:', '')
    .replace(/^<([A-Za-z]+?)[0-9A-F]{8}\.Arn>/, '$1')
