import { mock } from 'node:test'
import { format } from 'node:util'
import { vi as vitest } from 'vitest'

/**
 * What the tests import as `vitest` while mutants are tried: Node itself loads the tests, once, and `registered` keeps
 * them, so that trying a mutant costs no more than its tests. Of vitest's interface it has what the unit tests use.
 */
export { expect } from 'vitest'

/** vitest's own fake timers want a worker of its own; `Date` alone is what the tests of the domain fake. */
export const vi = {
  waitFor: vitest.waitFor,
  useFakeTimers: ({ now }: { now: number | Date }): void => mock.timers.enable({ apis: ['Date'], now }),
  useRealTimers: (): void => mock.timers.reset(),
}

type Hook = () => unknown
export type Suite = {
  name: string
  parent: Suite | null
  beforeAll: Hook[]
  afterAll: Hook[]
  beforeEach: Hook[]
  afterEach: Hook[]
}
export type Case = { id: string; title: string; file: string; suite: Suite; run: Hook }

const suiteOf = (name: string, parent: Suite | null): Suite => ({
  name,
  parent,
  beforeAll: [],
  afterAll: [],
  beforeEach: [],
  afterEach: [],
})

/** Where a file's tests go while it is being loaded; one file at a time. */
let open: { file: string; suite: Suite; cases: Map<string, Case> } | null = null
const finished: Hook[] = []

const current = (): { file: string; suite: Suite; cases: Map<string, Case> } => {
  if (open === null) throw new Error('A test file was loaded by something other than the mutation run.')
  return open
}

/** The tests of a file, which `load` loads. */
export const registered = async (file: string, load: () => Promise<unknown>): Promise<Case[]> => {
  const cases = new Map<string, Case>()
  open = { file, suite: suiteOf('', null), cases }
  try {
    await load()
  } finally {
    open = null
  }
  return [...cases.values()]
}

/** What the test that has just run wants to be called. */
export const takeFinished = (): Hook[] => finished.splice(0).reverse()

export const pathOf = (suite: Suite): Suite[] =>
  suite.parent === null ? [suite] : [...pathOf(suite.parent), suite]

const suite = (name: string, body: Hook): void => {
  const outer = current()
  open = { ...outer, suite: suiteOf(name, outer.suite) }
  body()
  open = outer
}

const single = (name: string, run: Hook): void => {
  const { file, suite, cases } = current()
  const title = [...pathOf(suite).map(of => of.name), name].filter(part => part !== '').join(' > ')
  let id = `${file}#${title}`
  for (let copy = 2; cases.has(id); copy += 1) id = `${file}#${title} (${copy})`
  cases.set(id, { id, title, file, suite, run })
}

type Each = (rows: readonly unknown[]) => (name: string, body: (...row: unknown[]) => unknown) => void

const eachOf =
  (register: (name: string, run: Hook) => void): Each =>
  rows =>
  (name, body) => {
    for (const [index, row] of rows.entries()) {
      const values = Array.isArray(row) ? row : [row]
      const places = name.match(/%[sdifjoO]/g)?.length ?? 0
      register(`${format(name, ...values.slice(0, places))} [${index}]`, () => body(...values))
    }
  }

export const describe = Object.assign(suite, { each: eachOf(suite) })
export const test = Object.assign(single, { each: eachOf(single) })
export const it = test

export const beforeAll = (hook: Hook): void => void current().suite.beforeAll.push(hook)
export const afterAll = (hook: Hook): void => void current().suite.afterAll.push(hook)
export const beforeEach = (hook: Hook): void => void current().suite.beforeEach.push(hook)
export const afterEach = (hook: Hook): void => void current().suite.afterEach.push(hook)
export const onTestFinished = (hook: Hook): void => void finished.push(hook)
