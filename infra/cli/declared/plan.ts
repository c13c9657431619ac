import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Source } from '../../../shared/domain/source.ts'
import type { Declared } from './file-schema.ts'
import {
  endpointOf,
  type Setting,
  type Settings,
  settingsOfEndpoint,
  settingsOfSource,
  sourceOf,
} from './settings.ts'

export type SettingChange = { setting: string; from: Setting; to: Setting }

/** What is to become of one source or endpoint. */
export type Step<T> =
  | { kind: 'create'; id: string; to: T; settings: Settings }
  | { kind: 'change'; id: string; from: T; to: T; changes: readonly SettingChange[] }
  | { kind: 'keep'; id: string }
  /** In the bridge and not in the file. */
  | { kind: 'undeclared' | 'remove'; id: string; from: T }

export type Plan = {
  sources: readonly Step<Source>[]
  endpoints: readonly Step<Endpoint>[]
}

export type Current = { sources: readonly Source[]; endpoints: readonly Endpoint[] }

/** What it takes to make a bridge as a file declares it: in the order of the file, then what the file has not. Pure. */
export const planOf = (declared: Declared, current: Current, { prune }: { prune: boolean }): Plan => ({
  sources: stepsOf({
    declared: declared.sources,
    present: current.sources,
    make: sourceOf,
    settingsOf: settingsOfSource,
    prune,
  }),
  endpoints: stepsOf({
    declared: declared.endpoints,
    present: current.endpoints.filter(({ state }) => state !== 'removed'),
    make: endpointOf,
    settingsOf: settingsOfEndpoint,
    prune,
  }),
})

const stepsOf = <D, T extends { id: string }>(of: {
  declared: Readonly<Record<string, D>> | null
  present: readonly T[]
  make: (id: string, declared: D, before: T | null) => T
  settingsOf: (thing: T) => Settings
  prune: boolean
}): Step<T>[] => {
  const present = new Map(of.present.map(thing => [thing.id, thing]))
  // Of a section that the file does not have it says nothing, and so nothing of it is removed.
  if (of.declared === null) return []
  const steps = Object.entries(of.declared).map(([id, declared]): Step<T> => {
    const from = present.get(id) ?? null
    const to = of.make(id, declared, from)
    if (from === null) return { kind: 'create', id, to, settings: of.settingsOf(to) }
    const changes = changesOf(of.settingsOf(from), of.settingsOf(to))
    return changes.length === 0 ? { kind: 'keep', id } : { kind: 'change', id, from, to, changes }
  })
  const { declared } = of
  const others = of.present.filter(({ id }) => !Object.hasOwn(declared, id))
  const kind = of.prune ? 'remove' : 'undeclared'
  return [...steps, ...others.map((from): Step<T> => ({ kind, id: from.id, from }))]
}

const changesOf = (from: Settings, to: Settings): SettingChange[] =>
  Object.keys(from).flatMap(setting => {
    const change = { setting, from: from[setting], to: to[setting] }
    return isSame(change.from, change.to) ? [] : [change]
  })

export const isList = (setting: Setting): setting is readonly string[] => Array.isArray(setting)

/** A list means its values, in whatever order; so do headers. */
const isSame = (one: Setting, other: Setting): boolean => comparable(one) === comparable(other)

const comparable = (setting: Setting): string =>
  JSON.stringify(
    isList(setting)
      ? setting.toSorted()
      : typeof setting === 'object'
        ? Object.entries(setting).toSorted(([one], [other]) => (one < other ? -1 : 1))
        : (setting ?? null),
  )

/** How many steps of each kind there are. */
export const countSteps = (plan: Plan): Readonly<Record<Step<unknown>['kind'], number>> => {
  const counts = { create: 0, change: 0, keep: 0, undeclared: 0, remove: 0 }
  for (const { kind } of [...plan.sources, ...plan.endpoints]) counts[kind] += 1
  return counts
}
