import * as z from 'zod'
import { jsonLines } from './deployed-function.ts'
import type { FunctionName } from './deployment.ts'
import { grantsOf, grantText, uses } from './iam-policies.ts'
import type { World } from './world.ts'

export const functionNames = ['poller', 'dispatcher', 'releaser'] as const satisfies readonly FunctionName[]

const lineSchema = z.record(z.string(), z.unknown())
type Line = z.infer<typeof lineSchema>

/** All lines of a function's log. Throws where one is no JSON object. */
export const linesOf = (world: World, name: FunctionName): Line[] =>
  z.array(lineSchema).parse(jsonLines(world.functions[name].output()))

/** The lines that tell of happenings of a kind. */
export const told = (world: World, name: FunctionName, kind: string): Line[] =>
  linesOf(world, name).filter(line => line['message'] === kind)

/** Calls that the role did not allow, each as a text. */
export const deniedCalls = (world: World, name: FunctionName): string[] =>
  world.functions[name].proxy.calls
    .filter(({ allowed }) => !allowed)
    .map(({ action, resource, leadingKeys }) => `${name} ${action} ${resource} ${leadingKeys.join(', ')}`)

/** What the role allows and no call made use of, sorted. */
export const unused = (world: World, name: FunctionName): string[] => {
  const { statements, proxy } = world.functions[name]
  const grants = grantsOf(statements).filter(grant => !proxy.calls.some(call => uses(call, grant)))
  return [...new Set(grants.map(grantText))].sort()
}
