import { describe, expect, it } from 'vitest'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { createRuns, spend } from './runs-harness.ts'

type Runs = ReturnType<typeof createRuns>

/** When the lease was looked at, and renewed. */
const looksOf = ({ looks }: Runs) => looks.map(({ atSecond, look }) => `${atSecond} ${look}`)

const renewalsOf = ({ looks }: Runs) => looks.filter(({ look }) => look === 'renews')

/** Polls of bounces that spend so many requests, each at its second; others spend nothing. */
const runsSpending = (spent: Readonly<Record<number, number>>, of: { requestsPerMinute?: number } = {}) => {
  const runs = createRuns({ pollEverySeconds: 5, ...of })
  const startMs = runs.clock.now()
  runs.state.poll = async (stream, _, gate) => {
    const atSecond = (runs.clock.now() - startMs) / 1_000
    if (stream === 'bounces') await spend(gate, stream, spent[atSecond] ?? 0)
    return runs.state.end
  }
  return runs
}

/** What is left to the next run where so many requests for news were spent at these seconds of the run. */
const spendingOf = (startMs: number, spent: readonly [second: number, requests: number][]) => ({
  limit: sourceDefaults.requestsPerMinute,
  notBeforeMs: 0,
  spent: spent.map(([second, requests]) => [startMs + second * 1_000, requests, 0, 0]),
})

describe('a run looks at its lease', () => {
  it('at its pace, leaving its spending each quarter of a minute and at its end', async () => {
    const runs = runsSpending({})
    await runs.run(runs.newProcess(), { lastsMs: 40_000 })
    expect(looksOf(runs)).toEqual([
      ...['5 holds', '10 holds', '15 renews', '20 holds', '25 holds', '30 renews', '35 holds'],
      '40 renews',
    ])
    expect(new Set(runs.looks.map(({ runId }) => runId))).toEqual(new Set(['run-1']))
  })

  it('and ends where another run has taken it: its streams are not polled again', async () => {
    const runs = runsSpending({})
    await runs.pass(0)
    const taking = runs.clock
      .sleep(12_000)
      .then(() => runs.table.take({ sourceId: 'main', runId: 'another', atMs: runs.clock.now() }))
    expect(await runs.run(runs.newProcess())).toBe(15)
    await taking
    expect(looksOf(runs)).toEqual(['5 holds', '10 holds', '15 renews'])
    expect(runs.pollsOf('complaints')).toEqual([0, 2.5, 7.5, 12.5])
  })

  it('and ends at once with the process, its spending left', async () => {
    const runs = runsSpending({ 5: 2 })
    const stopped = new AbortController()
    const startMs = runs.clock.now()
    const stopping = runs.clock.sleep(7_000).then(() => stopped.abort())
    expect(await runs.run(runs.newProcess(), { signal: stopped.signal })).toBe(7)
    await stopping
    expect(looksOf(runs)).toEqual(['5 holds', '7 renews'])
    expect(runs.looks.at(-1)?.spending).toEqual(spendingOf(startMs, [[5, 2]]))
  })

  it('and has left its spending when it is over, also where its streams rest until the next one', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    const startMs = runs.clock.now()
    runs.state.poll = async (stream, _, gate) => {
      await spend(gate, stream, 1)
      return runs.state.end
    }
    expect(await runs.run(runs.newProcess(), { nextRunInMs: 60_000 })).toBe(0)
    expect(runs.looks).toEqual([
      { atSecond: 0, look: 'renews', runId: 'run-1', spending: spendingOf(startMs, [[0, 2]]) },
    ])
  })

  it('in vain while the table is away, and goes on to its end: the lease only saves requests', async () => {
    const runs = runsSpending({})
    runs.deps.lease.holds = async () => Promise.reject(new Error('the table is away'))
    runs.deps.lease.renew = runs.deps.lease.holds
    expect(await runs.run(runs.newProcess(), { lastsMs: 20_000 })).toBe(20)
    expect(runs.pollsOf('bounces')).toEqual([0, 5, 10, 15])
  })
})

describe('a run that is about to send', () => {
  /** Polls that ask whether the run still has its lease, at these seconds; and what they were told. */
  const asking = (atSeconds: readonly number[]) => {
    const runs = createRuns({ pollEverySeconds: 5 })
    const startMs = runs.clock.now()
    const told: boolean[] = []
    runs.state.poll = async (stream, _, gate) => {
      const atSecond = (runs.clock.now() - startMs) / 1_000
      if (stream !== 'bounces' || !atSeconds.includes(atSecond)) return runs.state.end
      // What it read took a second to come.
      await runs.clock.sleep(1_000)
      told.push(await gate.isOurs())
      return runs.state.end
    }
    return { runs, told }
  }

  it('looks at its lease then, beside the looks at its pace, by which another run is noticed as soon as ever', async () => {
    const { runs, told } = asking([0, 10])
    await runs.run(runs.newProcess(), { lastsMs: 16_000 })
    expect(told).toEqual([true, true])
    expect(looksOf(runs)).toEqual(['1 holds', '5 holds', '10 holds', '11 holds', '15 renews', '16 renews'])
  })

  it('learns that another run has taken it, and ends', async () => {
    const { runs, told } = asking([5])
    const taking = runs.clock
      .sleep(5_500)
      .then(() => runs.table.take({ sourceId: 'main', runId: 'another', atMs: runs.clock.now() }))
    expect(await runs.run(runs.newProcess())).toBe(6)
    await taking
    expect(told).toEqual([false])
  })

  it('sends where the table can not be asked: the lease only saves requests', async () => {
    const { runs, told } = asking([0])
    runs.deps.lease.holds = async () => Promise.reject(new Error('the table is away'))
    await runs.run(runs.newProcess(), { lastsMs: 3_000 })
    expect(told).toEqual([true])
  })
})

describe('the spending of a run', () => {
  it('is left each time that a tenth of the limit was spent, not only in time', async () => {
    const runs = runsSpending({ 0: 13 })
    const startMs = runs.clock.now()
    await runs.run(runs.newProcess(), { lastsMs: 10_000 })
    expect(renewalsOf(runs).map(({ atSecond, spending }) => ({ atSecond, spending }))).toEqual([
      { atSecond: 0, spending: spendingOf(startMs, [[0, 6]]) },
      { atSecond: 0, spending: spendingOf(startMs, [[0, 12]]) },
      { atSecond: 10, spending: spendingOf(startMs, [[0, 13]]) },
    ])
  })

  it('regression: is left as it was last, though an earlier call of the table takes longer', async () => {
    const runs = runsSpending({ 0: 8 })
    const startMs = runs.clock.now()
    let calls = 0
    runs.deps.lease.renew = async renewal => {
      calls += 1
      if (calls === 1) await runs.clock.sleep(3_000)
      return runs.table.renew(renewal)
    }
    await runs.run(runs.newProcess(), { lastsMs: 2_000 })
    await runs.pass(5_000)
    const taken = await runs.table.take({ sourceId: 'main', runId: 'next', atMs: runs.clock.now() })
    expect([calls, taken.spending]).toEqual([2, spendingOf(startMs, [[0, 8]])])
  })

  it('is left with each request where the limit is small', async () => {
    const runs = runsSpending({ 0: 2, 5: 1 }, { requestsPerMinute: 9 })
    await runs.run(runs.newProcess(), { lastsMs: 10_000 })
    expect(renewalsOf(runs).map(({ atSecond }) => atSecond)).toEqual([0, 0, 5, 10])
  })

  it('counts from the last time that it was left, whatever that was for', async () => {
    // Five of six were spent when a quarter of a minute had passed; a sixth alone is no reason then.
    const inTime = runsSpending({ 10: 5, 20: 5, 25: 1 })
    await inTime.run(inTime.newProcess(), { lastsMs: 45_000 })
    expect(renewalsOf(inTime).map(({ atSecond }) => atSecond)).toEqual([15, 25, 40, 45])
    const early = runsSpending({ 10: 6 })
    await early.run(early.newProcess(), { lastsMs: 30_000 })
    expect(renewalsOf(early).map(({ atSecond }) => atSecond)).toEqual([10, 25, 30])
  })

  it('counts for the next run, of whatever process', async () => {
    const runs = runsSpending({ 0: 13 })
    await runs.run(runs.newProcess(), { lastsMs: 5_000 })
    const left: number[] = []
    runs.state.poll = async (_stream, _nth, gate) => {
      left.push(gate.budgetLeft())
      return runs.state.end
    }
    await runs.run(runs.newProcess(), { lastsMs: 5_000 })
    expect(left).toEqual([48 - 13, 48 - 13, 48 - 13])
  })
})
