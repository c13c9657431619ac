import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { InstrumenterContext } from '@stryker-mutator/api/core'
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner'
import { configureGlobal } from 'fast-check'
import { failureOf } from './run-case.ts'
import { type Case, registered, type Suite } from './stand-in.ts'
import { fileOf, ordered, testFilesFor } from './tests-to-run.ts'
import { startWarden, watchTest, workMsMin } from './watch.ts'

declare global {
  /** Where the mutated code looks which mutant is active, and counts. */
  var __stryker__: InstrumenterContext | undefined
}

/** Property tests try the same each time: without it, who survives would be a matter of chance. */
const propertiesSeed = 67
const standIn = new URL('stand-in.ts', import.meta.url).href
/** What a test leaves running counts on within this time. */
const leftRunningMs = 20
/** Stryker stops at a hundred times the dry run's hits; a mutant that makes ten times the work is found out already. */
const hitLimitShare = 0.1
/**
 * What one mutant may cost, in work, before no further test is begun: the likely and the quickest are first, and all
 * of them would take a minute for each mutant of the poller. Who is not killed by then counts as survivor.
 */
const workMsMaxPerMutant = 2_000
/** A test that works for longer than this is not tried with mutants. */
const workMsMaxPerTest = 1_000
/** In the sandbox, for the processes that come after this one: what each test took, and which mutant is tried. */
const timesFile = 'stryker-times.json'
const triedFile = 'stryker-tried'

const mutants: InstrumenterContext = globalThis.__stryker__ ?? {}
globalThis.__stryker__ = mutants

/** Runs the unit tests in one process: each file is loaded once, and each mutant runs the tests that reach it. */
export class InProcessRunner implements TestRunner {
  readonly #cases = new Map<string, Case>()
  readonly #loaded = new Set<string>()
  #workMs = new Map<string, number>()
  #stray: unknown = null
  /** A test left something running, or something was loaded with a mutant: it would be taken for another's doing. */
  #isSpent = false

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true }
  }

  async init(): Promise<void> {
    // A mutant is found out by a counterexample, be it a small one or not.
    configureGlobal({ seed: propertiesSeed, endOnFailure: true })
    this.#workMs = new Map(JSON.parse(textOf(timesFile) ?? '[]'))
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'vitest' && context.parentURL !== standIn
          ? { url: standIn, shortCircuit: true }
          : next(specifier, context),
    })
    for (const event of ['unhandledRejection', 'uncaughtException']) {
      process.on(event, error => {
        this.#stray ??= error
      })
    }
    startWarden()
  }

  async dryRun(of: DryRunOptions): Promise<DryRunResult> {
    for (const file of testFilesFor(of.files)) await this.#load(file)
    const tests = await this.#run([...this.#cases.keys()], { isDry: true, bails: false })
    writeFileSync(timesFile, JSON.stringify([...this.#workMs]))
    return {
      status: DryRunStatus.Complete,
      tests: tests ?? [],
      mutantCoverage: mutants.mutantCoverage ?? { static: {}, perTest: {} },
    }
  }

  async mutantRun(of: MutantRunOptions): Promise<MutantRunResult> {
    // A static mutant is one of loading. Stryker starts a new process then, and asks that one.
    const isOfLoading = of.mutantActivation === 'static'
    if (this.#isSpent || (isOfLoading && this.#loaded.size > 0)) process.exit(1)
    this.#isSpent = isOfLoading
    const { id } = of.activeMutant
    if (textOf(triedFile) === id) {
      rmSync(triedFile)
      return toMutantRunResult({
        status: DryRunStatus.Timeout,
        reason: 'The process before had to be ended.',
      })
    }
    const ids = ordered(of.testFilter ?? [...this.#workMs.keys()], of.sandboxFileName, this.#workMs)
    const hitLimit = of.hitLimit === undefined ? undefined : Math.ceil(of.hitLimit * hitLimitShare)
    mutants.hitCount = 0
    if (hitLimit === undefined) delete mutants.hitLimit
    else mutants.hitLimit = hitLimit
    writeFileSync(triedFile, id)
    mutants.activeMutant = id
    const tests = await this.#run(ids, { isDry: false, bails: !of.disableBail })
    delete mutants.activeMutant
    rmSync(triedFile)
    const tooOften = determineHitLimitReached(mutants.hitCount, hitLimit)
    if (tooOften !== undefined) return toMutantRunResult(tooOften)
    if (tests === null) return toMutantRunResult({ status: DryRunStatus.Timeout })
    return toMutantRunResult({ status: DryRunStatus.Complete, tests })
  }

  /** A file is loaded when the first of its tests is to run, without the mutant: what loading makes stays for all. */
  async #caseOf(id: string): Promise<Case> {
    const { activeMutant, hitCount } = mutants
    if (!this.#isSpent) delete mutants.activeMutant
    await this.#load(fileOf(id))
    if (activeMutant !== undefined) mutants.activeMutant = activeMutant
    if (hitCount !== undefined) mutants.hitCount = hitCount
    const found = this.#cases.get(id)
    if (found === undefined) throw new Error(`There is no test ${id} any more.`)
    return found
  }

  async #load(file: string): Promise<void> {
    if (this.#loaded.has(file)) return
    this.#loaded.add(file)
    for (const found of await registered(file, () => import(pathToFileURL(resolve(file)).href))) {
      this.#cases.set(found.id, found)
    }
  }

  /** Null: a test hung. */
  async #run(ids: readonly string[], of: { isDry: boolean; bails: boolean }): Promise<TestResult[] | null> {
    const results: TestResult[] = []
    const entered = new Set<Suite>()
    let workedMs = 0
    for (const id of ids) {
      if (!of.isDry && workedMs > workMsMaxPerMutant) break
      if (!of.isDry && (this.#workMs.get(id) ?? 0) > workMsMaxPerTest) continue
      const one = await this.#caseOf(id)
      this.#stray = null
      // Counting what each test reaches is worth its time once only.
      if (of.isDry) mutants.currentTestId = one.id
      const startedMs = performance.now()
      const watch = watchTest(of.isDry ? Number.POSITIVE_INFINITY : (this.#workMs.get(one.id) ?? workMsMin))
      const failure = await Promise.race([failureOf(one, entered), watch.hung])
      const workMs = watch.stop()
      workedMs += workMs
      const timeSpentMs = performance.now() - startedMs
      delete mutants.currentTestId
      if (failure === 'hung') {
        const before = mutants.hitCount
        await sleep(leftRunningMs)
        this.#isSpent ||= mutants.hitCount !== before
        return null
      }
      if (of.isDry) this.#workMs.set(one.id, workMs)
      const failed = failure ?? (this.#stray === null ? null : { error: this.#stray })
      const told = { id: one.id, name: one.title, fileName: resolve(one.file), timeSpentMs }
      if (failed === null) {
        results.push({ ...told, status: TestStatus.Success })
      } else {
        const failureMessage = failed.error instanceof Error ? failed.error.message : String(failed.error)
        results.push({ ...told, status: TestStatus.Failed, failureMessage })
        if (of.bails) break
      }
    }
    for (const suite of [...entered].toReversed()) for (const hook of suite.afterAll) await hook()
    return results
  }
}

const textOf = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
