import { expect, test } from 'vitest'
import { textOf } from './support/statements.ts'
import { everySetting, type Synthesized, synthTemplate } from './support/synth-template.ts'

/** Properties by which a resource is known in its account and region. */
const nameProperties = [
  'AlarmName',
  'DashboardName',
  'FunctionName',
  'GroupName',
  'LogGroupName',
  'Name',
  'QueueName',
  'TableName',
  'TopicName',
] as const

/** Every physical name, with the type of what bears it. A name that is a reference is another resource's. */
const physicalNames = ({ resources }: Synthesized): string[] =>
  Object.values(resources).flatMap(({ Type, Properties }) => {
    // A schedule's name is its group's affair.
    const group = Type === 'AWS::Scheduler::Schedule' ? `${textOf(Properties['GroupName'])}/` : ''
    return nameProperties
      .filter(property => !(group !== '' && property === 'GroupName'))
      .flatMap(property => Properties[property] ?? [])
      .map(textOf)
      .filter(name => !name.startsWith('<'))
      .map(name => `${Type} ${group}${name}`)
  })

// One begins with the other, and with what the other's queues are called.
test.for(['bridge-2', 'bridge-deliveries', 'bridge-dead'])(
  'stacks of the prefixes bridge and %s have no name in common',
  prefix => {
    const [one, other] = ['bridge', prefix].map(of =>
      physicalNames(synthTemplate({ ...everySetting, prefix: of })),
    )
    expect(one?.length).toBeGreaterThanOrEqual(16)
    expect(other?.length).toBe(one?.length)
    expect(one?.filter(name => other?.includes(name))).toEqual([])
  },
)
