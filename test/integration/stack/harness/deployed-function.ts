import { type Assembly, required } from './assembly.ts'
import type { StackEmulators } from './emulators.ts'
import { type FunctionProcess, startFunction } from './function-process.ts'
import {
  type Additions,
  emulatorAddition,
  environmentOf,
  type FunctionSettings,
  readFunction,
  reservedVariables,
  templateVariables,
} from './function-settings.ts'
import { type Statement, statementsOfRole } from './iam-policies.ts'
import { createResolver } from './intrinsics.ts'
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts'
import { invokeConfig, schedulePayload } from './schedules.ts'
import type { TableKeys } from './table-from-template.ts'

const preload = new URL('carry-to-loopback.ts', import.meta.url).href

/** A function of the template, ready to be started: its bundle, its environment, its role and its triggers. */
export type DeployedFunction = {
  settings: FunctionSettings
  environment: {
    template: Readonly<Record<string, string>>
    reserved: Readonly<Record<string, string>>
    additions: Additions
  }
  proxy: RecordingProxy
  statements: readonly Statement[]
  failures: ReturnType<typeof invokeConfig>
  /** What its schedule invokes it with. */
  payload(): unknown
  /** A new instance; `changes` are mistakes in its environment. */
  start(changes?: Readonly<Record<string, string>>): Promise<FunctionProcess>
  /** Everything that its instances have written. */
  output(): string
}

export const deployFunction = async (
  functionName: string,
  of: { assembly: Assembly; emulators: StackEmulators; table: TableKeys; authorityFile: string },
): Promise<DeployedFunction> => {
  const { assembly, emulators, table } = of
  const settings = readFunction(assembly, functionName)
  // The policies name queues by their ARN, so where their URLs lead does not matter yet.
  const policies = createResolver(assembly, emulators.where('http://queues.invalid'))
  const statements = statementsOfRole(assembly, policies, settings.roleId)
  const proxy = await startRecordingProxy({
    targets: emulators.endpoints,
    facts: { table, secretArn: emulators.secrets.arn },
    statements: () => statements,
  })
  const resolver = createResolver(assembly, emulators.where(proxy.endpoint))
  const template = templateVariables(settings, resolver)
  const reserved = reservedVariables(settings, resolver)
  const additions: Additions = {
    emulators: emulatorAddition(proxy.endpoint),
    authority: { NODE_EXTRA_CA_CERTS: of.authorityFile },
    preload: { NODE_OPTIONS: `--import ${preload}` },
  }
  const instances: FunctionProcess[] = []
  return {
    settings,
    environment: { template, reserved, additions },
    proxy,
    statements,
    failures: invokeConfig(assembly, resolver, settings.id),
    payload: () => schedulePayload(assembly, settings.id),
    start: async (changes = {}) => {
      const unknown = Object.keys(changes).filter(name => !(name in template))
      if (unknown.length > 0) throw new Error(`the template sets no ${unknown.join(', ')}`)
      const environment = environmentOf({ ...template, ...changes }, reserved, additions)
      const instance = await startFunction(settings, environment)
      instances.push(instance)
      return instance
    },
    output: () => instances.map(instance => instance.output()).join('\n'),
  }
}

/** The lines of a log as JSON. Throws for one that is none: a log that is half text can't be searched. */
export const jsonLines = (output: string): unknown[] =>
  output
    .split('\n')
    .filter(line => line.trim() !== '')
    .map((line): unknown => {
      try {
        return JSON.parse(line)
      } catch {
        throw new Error(`this line of a log is no JSON: ${line.slice(0, 500)}`)
      }
    })

export const onlyOne = <T>(items: readonly T[], what: string): T => {
  if (items.length !== 1) throw new Error(`there should be one ${what}, and there are ${items.length}`)
  return required(items[0], what)
}
