import { readFile, writeFile } from 'node:fs/promises'
import type { Cost } from './cost.ts'
import type { CrashPoint } from './run.ts'
import type { Crashed } from './run-all.ts'

/** What each crash cost when the table was made: the table is made of it, and `npm test` makes some of them again. */
const file = new URL('costs.tsv', import.meta.url)

const heading = [
  '# What a crash at each await of the scenario costs: made by npm run test:simulation -- --crash-points --write.',
  '# requests, messages, failed POSTs, duplicates, tellings, heartbeats less, seconds later; - is nothing.',
  '# at\tprocess\tcall\tbefore\tafter',
]

const kept = ['requests', 'messages', 'refused', 'duplicates', 'told', 'silent', 'delaySeconds'] as const

export const encodeCost = (cost: Cost): string => {
  const counts = kept.map(key => cost[key])
  return counts.every(count => count === 0) ? '-' : counts.join(' ')
}

const decodeCost = (text: string): Cost => {
  const counts = text === '-' ? [] : text.split(' ').map(Number)
  const [requests = 0, messages = 0, refused = 0, duplicates = 0, told = 0, silent = 0, delaySeconds = 0] =
    counts
  return { requests, messages, refused, duplicates, told, silent, delaySeconds }
}

export const writeCosts = async (all: readonly Crashed[]): Promise<void> => {
  const after = new Map(
    all.filter(({ crash }) => crash.death === 'after').map(one => [one.crash.at, one.cost]),
  )
  const lines = all
    .filter(({ crash }) => crash.death === 'before')
    .map(({ point: { at, process, call }, cost }) => {
      const second = after.get(at)
      return [at, process, call, encodeCost(cost), second === undefined ? '' : encodeCost(second)].join('\t')
    })
  await writeFile(file, `${[...heading, ...lines].join('\n')}\n`)
}

/** As they were written: none of them broke a rule, or they would not have been. */
export const readCosts = async (): Promise<Crashed[]> => {
  const lines = (await readFile(file, 'utf8'))
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  return lines.flatMap(line => {
    const [number = '', process = '', call = '', before = '', after = ''] = line.split('\t')
    const at = Number(number)
    const point: CrashPoint = { at, process, call, isWrite: after !== '' }
    const one = { point, failure: null }
    const first: Crashed = { ...one, crash: { at, death: 'before' }, cost: decodeCost(before) }
    return after === ''
      ? [first]
      : [first, { ...one, crash: { at, death: 'after' }, cost: decodeCost(after) }]
  })
}
