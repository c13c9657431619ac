import { BridgeError } from '../../../../shared/domain/bridge-error.ts'
import type { LoggedEvent } from '../../../../shared/domain/polling/event-log.ts'
import { type Actor, copyOf, nameOfState, type Scenario, timesRelativeTo, type World } from './world.ts'

// What the real code does next follows from what it has seen. So it is run once for everything that it can see, and
// its calls are kept: a stand is where the code is after so many replies. A world then holds stands, not promises.

/** How a call of a dependency can go wrong: refused; done, but the reply lost; done again by the client. */
export type CallFault = 'fail' | 'lost' | 'retried'
export type Variant = 'step' | CallFault

/**
 * What others see of a call. `none`: it reads what nobody changes, so that its place among their calls does not
 * matter. Only a `change` makes it matter where a process dies.
 */
export type Effect = 'none' | 'read' | 'change'

export type Call = {
  name: string
  faults: readonly CallFault[]
  effect: Effect
  /** What it does to the world; what the code is told of it, as text. */
  apply: (world: World, actor: Actor, variant: Variant) => unknown
  /** The same, and tells the code. */
  reply: (world: World, actor: Actor, variant: Variant) => void
}

/** The code, running: it stands still in each call of a dependency until that is replied to. */
export type Process = {
  id: number
  nowMs: number
  calls: Call[]
  ended: boolean
} & Given

/** What is the same in every world of an exploration. */
type Given = { scenario: Scenario; event: LoggedEvent }

export type Stand = {
  /** All that its code has seen; and the same with times as seen from its start. */
  exact: string
  name: string
  calls: readonly Call[]
  ended: boolean
  /** How to come here from the start. */
  begin: (process: Process) => void
  startedAtMs: number
  way: readonly Reply[]
  /** The code itself, if it still stands here. */
  process: Process | null
}

/** `before` is the world in which the call was made. */
type Reply = { index: number; variant: Variant; before: World; actor: Actor }

/** A call of a dependency. `unsent`: what the code is told where it went wrong; else it is an exception. */
export const call = <T>(
  process: Process,
  of: {
    name: string
    faults: readonly CallFault[]
    effect: Effect
    apply: (world: World, actor: Actor) => T
    unsent?: T
  },
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const apply = (world: World, actor: Actor, variant: Variant): T | undefined => {
      if (variant === 'fail') return of.unsent
      const value = of.apply(world, actor)
      if (variant === 'lost') return of.unsent
      return variant === 'retried' ? of.apply(world, actor) : value
    }
    const entry: Call = {
      name: of.name,
      faults: of.faults,
      effect: of.effect,
      apply,
      reply: (world, actor, variant) => {
        process.calls = process.calls.filter(other => other !== entry)
        const value = apply(world, actor, variant)
        if (value === undefined) reject(unavailable)
        else resolve(value)
      },
    }
    process.calls.push(entry)
  })

const unavailable = new BridgeError({
  code: 'unavailable',
  message: 'no answer',
  hint: 'This is a test.',
})

/** The stands of all code that was run so far. */
export type Programs = {
  /** `exact` tells one start from another; `name` does so but for the time. */
  start(of: {
    exact: string
    name: string
    id: number
    atMs: number
    begin: (process: Process) => void
  }): Promise<Stand>
  /** Does a call to `world`, of which `before` is a copy, and says where the code stands then. */
  go(of: { actor: Actor; index: number; variant: Variant; before: World; world: World }): Promise<Stand>
  size(): number
}

export const createPrograms = (given: Given): Programs => {
  const stands = new Map<string, Stand>()
  const keep = (stand: Stand): Stand => {
    stands.set(stand.exact, stand)
    return stand
  }
  return {
    start: async ({ name, id, atMs, begin, ...of }) => {
      const exact = nameOfState(`${of.exact} ${id} ${atMs}`)
      const known = stands.get(exact)
      if (known !== undefined) return known
      const process = await run({ ...given, id, nowMs: atMs }, begin)
      return keep({ exact, name, ...standing(process), begin, startedAtMs: atMs, way: [], process })
    },

    go: async ({ actor, index, variant, before, world }) => {
      const { stand } = actor
      const entry = stand.calls[index]
      if (entry === undefined) throw new Error('there is no such call')
      const seen = entry.apply(world, actor, variant) ?? variant
      const at = `${index} ${variant} ${before.nowMs - stand.startedAtMs}`
      const exact = nameOfState(`${stand.exact} ${at} ${JSON.stringify(seen)}`)
      const known = stands.get(exact)
      if (known !== undefined) return known
      const way = [...stand.way, { index, variant, before, actor }]
      const relative = JSON.stringify(seen, timesRelativeTo(before.nowMs))
      const name = nameOfState(`${stand.name} ${at} ${relative}`)
      const process = await goOn(stand, way, { ...given, id: actor.id })
      return keep({ ...stand, exact, name, ...standing(process), way, process })
    },

    size: () => stands.size,
  }
}

const standing = ({ calls, ended }: Process): { calls: readonly Call[]; ended: boolean } => ({
  calls: [...calls],
  ended,
})

const run = async (
  of: Given & Pick<Process, 'id' | 'nowMs'>,
  begin: (process: Process) => void,
): Promise<Process> => {
  const process: Process = { ...of, calls: [], ended: false }
  begin(process)
  await quiet()
  return process
}

/** The code moved on from a stand: itself where it is still there, else from its start again. */
const goOn = async (
  stand: Stand,
  way: readonly Reply[],
  of: Given & Pick<Process, 'id'>,
): Promise<Process> => {
  const last = way.slice(-1)
  const here = stand.process
  stand.process = null
  const process = here ?? (await run({ ...of, nowMs: stand.startedAtMs }, stand.begin))
  for (const { index, variant, before, actor } of here === null ? way : last) {
    process.nowMs = before.nowMs
    process.calls[index]?.reply(copyOf(before), actor, variant)
    await quiet()
  }
  return process
}

/** Until the code stands still in its calls, or has ended. */
const quiet = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
