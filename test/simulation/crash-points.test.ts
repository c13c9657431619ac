import { describe, expect, it } from 'vitest'
import { crashFailureText } from './crash-points/command.ts'
import { encodeCost, readCosts } from './crash-points/costs-file.ts'
import { tableInDocument } from './crash-points/document.ts'
import { groupOf, groups } from './crash-points/groups.ts'
import { kindsOfTrouble } from './crash-points/kinds.ts'
import { mistakesOfCrashes } from './crash-points/mistakes.ts'
import { type CrashPoint, runScenario } from './crash-points/run.ts'
import { type Crashed, crashesOf, runCrash } from './crash-points/run-all.ts'
import { costText, renderTable } from './crash-points/table.ts'

/** All of them take minutes: here are the first of each cell of the table, and every so many after it. */
const oneOf = 23
const timeoutMs = 300_000

const nameOf = ({ at, process, call, isWrite }: CrashPoint): string =>
  `${at} ${process}: ${call}${isWrite ? ', writes' : ''}`

const sampleOf = (all: readonly Crashed[]): Crashed[] => {
  const cells = Map.groupBy(all, ({ crash, point }) => `${groups.indexOf(groupOf(point))} ${crash.death}`)
  return [...cells.values()].flatMap(cell => cell.filter((_, at) => at % oneOf === 0))
}

describe('every crash point of one scenario', () => {
  it('has each kind of trouble in it, and none breaks a rule while no process dies', {
    timeout: timeoutMs,
  }, async () => {
    const usual = await runScenario({ crash: null })
    expect(usual.violations).toEqual([])
    expect(usual.measured.duplicates).toBe(0)
    const missing = Object.entries(kindsOfTrouble).filter(([, came]) => !came(usual))
    expect(missing.map(([kind]) => kind)).toEqual([])
  })

  it('stands in costs.tsv and in ARCHITECTURE.md as it is (else: npm run test:simulation -- --crash-points --write)', {
    timeout: timeoutMs,
  }, async () => {
    const { points } = await runScenario({ crash: null })
    const kept = await readCosts()
    const firsts = kept.filter(({ crash }) => crash.death === 'before').map(({ point }) => point)
    expect(firsts.map(nameOf)).toEqual(points.map(nameOf))
    expect(kept).toHaveLength(crashesOf(points).length)
    expect(await tableInDocument()).toBe(renderTable(kept))
  })

  it('is survived, at the cost that costs.tsv tells (else: npm run test:simulation -- --crash-points --write)', {
    timeout: timeoutMs,
  }, async () => {
    const usual = await runScenario({ crash: null })
    const sample = sampleOf(await readCosts())
    const cells = new Set(sample.map(({ crash, point }) => `${groupOf(point).about} ${crash.death}`))
    const again: Crashed[] = []
    for (const { crash } of sample) again.push(await runCrash(crash, usual))
    expect(again.filter(({ failure }) => failure !== null).map(crashFailureText)).toEqual([])
    const told = ({ crash, cost }: Crashed): string => `${crash.at} ${crash.death}: ${encodeCost(cost)}`
    expect(again.map(told)).toEqual(sample.map(told))
    expect(cells.size).toBeGreaterThan(groups.length)
    console.info(`${sample.length} crashes of ${usual.points.length} points`)
  })

  it.each(Object.entries(mistakesOfCrashes))(
    'finds the mistake %s, which no run without a crash shows',
    {
      timeout: timeoutMs,
    },
    async (_name, { mistake, process }) => {
      const usual = await runScenario({ crash: null, mistake })
      expect(usual.violations).toEqual([])
      const writes = usual.points.filter(point => point.process === process && point.isWrite)
      let failed: Crashed | undefined
      for (const crash of crashesOf(writes)) {
        const crashed = await runCrash(crash, usual, mistake)
        if (crashed.failure === null) continue
        failed = crashed
        break
      }
      expect(failed?.failure?.violation).toMatch(/held at the end|crash only/)
    },
  )

  it('tells a cost in words', () => {
    const nothing = {
      requests: 0,
      messages: 0,
      refused: 0,
      duplicates: 0,
      told: 0,
      silent: 0,
      delaySeconds: 0,
    }
    expect(costText(nothing)).toBe('nothing')
    expect(costText({ ...nothing, requests: 1, messages: 2, duplicates: 1, delaySeconds: 360 })).toBe(
      '1 request, 2 messages, **1 duplicate**, 6 min later',
    )
  })
})
