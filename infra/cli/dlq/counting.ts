import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { Look } from '../output/look.ts'
import { createProgress, type Progress } from '../output/progress.ts'
import { renderTable } from '../output/table.ts'
import { none } from '../output/texts.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { countEntries, findDead, type ToFind, typesOf } from './find-dead.ts'

export type Group = { endpoint: string; type: string | null; reason: string | null; deadLetters: number }
export type Counted = { total: number; groups: readonly Group[] }

/** Pages of dead letters with a bar that says how far the search has come. */
export const searchWithProgress = async (
  of: ToFind,
  deps: { bridge: OperatorBridge; session: Session; doing: () => string },
): Promise<{ pages: AsyncGenerator<Delivery[]>; progress: Progress }> => {
  const { bridge, session, doing } = deps
  const { signal } = session
  const progress = createProgress(session)
  const entries = await countEntries(of, { bridge, signal })
  let seen = 0
  const looked = (count: number): void => {
    seen += count
    progress.at(entries === 0 ? null : seen / entries, doing())
  }
  return { pages: findDead(of, { bridge, signal, looked }), progress }
}

/** Counts what is meant, by endpoint, type and reason. */
export const countDead = async (
  of: ToFind,
  deps: { bridge: OperatorBridge; session: Session },
): Promise<Counted> => {
  const groups = new Map<string, Group>()
  let total = 0
  const doing = (): string => `${total.toLocaleString('en-US')} counted …`
  const { pages, progress } = await searchWithProgress(of, { ...deps, doing })
  for await (const page of pages) {
    total += page.length
    const types = await typesOf(page, deps.bridge)
    for (const [at, { endpointId: endpoint, reason }] of page.entries()) {
      const type = types[at] ?? null
      const name = `${endpoint} ${type} ${reason}`
      const group = groups.get(name) ?? { endpoint, type, reason, deadLetters: 0 }
      groups.set(name, { ...group, deadLetters: group.deadLetters + 1 })
    }
  }
  progress.end()
  return { total, groups: [...groups.values()].sort((one, other) => other.deadLetters - one.deadLetters) }
}

export const renderGroups = (look: Look, groups: readonly Group[]): string =>
  renderTable(
    look,
    [
      { title: 'ENDPOINT', shrinks: true },
      { title: 'TYPE' },
      { title: 'REASON', shrinks: true },
      { title: 'DEAD LETTERS', align: 'right' },
    ],
    groups.map(({ endpoint, type, reason, deadLetters }) => [
      endpoint,
      type ?? none,
      reason ?? none,
      deadLetters.toLocaleString('en-US'),
    ]),
  )
