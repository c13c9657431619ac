import { createRetryQuarantined } from '../../../shared/domain/polling/retry-quarantined.ts'
import { rewind as rewindCursor } from '../../../shared/domain/polling/rewind.ts'
import { type Source, streamNames } from '../../../shared/domain/source.ts'
import type { At } from './operator-replays.ts'
import { createPort } from './ports.ts'

const pickSource = ({ world }: At): Source | null => {
  const [first, ...others] = world.plan.sources
  return first === undefined ? null : world.scheduler.dice.pick([first, ...others]).source
}

export const rewind = async (at: At): Promise<void> => {
  const { world, deps, target } = at
  const { dice } = world.scheduler
  const source = pickSource(at)
  if (source === null) return
  const secondsBack = target.secondsBack ?? dice.int(60, 7_200)
  const toSecond = Math.floor(deps.clock.now() / 1_000) - secondsBack
  const stream = target.stream ?? dice.pick(streamNames)
  const lowerFloor = target.lowerFloor ?? dice.chance(0.3)
  await rewindCursor({ sourceId: source.id, stream, toSecond, lowerFloor, isDryRun: false }, deps)
}

export const setSource =
  (state: Source['state']) =>
  async (at: At): Promise<void> => {
    const picked = pickSource(at)
    const found = picked === null ? null : await at.deps.sources.read(picked.id)
    if (found !== null) await at.deps.sources.put({ ...found, state })
  }

/** Each on its own, as the command does: to the queue, to the log, then out of quarantine. */
export const retryQuarantined = async ({ world, process, deps }: At): Promise<void> => {
  const { table } = world
  const port = createPort(world, process)
  const all = port.read('list quarantine', async () => table.quarantine.all())
  const takeOut = port.write('take out', table.takeOut)
  for (const record of await all()) {
    const { sourceId, stream, text } = record
    if (text === '' || table.isTakenOut(record)) continue
    const retry = createRetryQuarantined(
      { ...deps, endpoints: () => deps.endpoints.list() },
      { sourceId, stream },
    )
    const { kind } = await retry({ text })
    if (kind === 'enqueued' || kind === 'known') await takeOut(record)
  }
}
