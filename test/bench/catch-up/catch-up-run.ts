import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { forkChild, type Line, startBridge, startFlags } from '../children.ts'
import {
  type WorldReport,
  type WorldSettings,
  worldReadySchema,
  worldReportSchema,
} from '../freshness/world-messages.ts'
import { cpuSeconds, peakMemoryBytes } from '../process-usage.ts'

export type CatchUpCase = {
  backlog: number
  pageSize: number
  /** Requests a minute that the service allows; 0: no limit. */
  rateLimit: number
  /** The emulators in a process of their own, so that the bridge's is weighed alone. */
  emulatorsApart: boolean
}

export type CatchUpResult = {
  records: number
  /** From the start of the bridge's process to the last verified arrival. */
  seconds: number
  cpuSeconds: number
  peakBytes: number
  /** When each record was enqueued; none where the bridge tells nothing (emulators apart). */
  enqueuedAtMs: readonly number[]
  /** Of the emulators' process; null where they have none. */
  emulators: { cpuSeconds: number; peakBytes: number } | null
  report: WorldReport
}

const lookEveryMs = 250
const givenUpAfterMs = 1_800_000
/** Where no limit is wanted, the bridge is to keep to none either. */
const noLimitPerMinute = 1_000_000

/** A backlog from the simulator to a receiver that verifies. */
export const runCatchUp = async (of: CatchUpCase): Promise<CatchUpResult> => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const settings: WorldSettings = {
    ...{ secret, rate: 0, backlog: of.backlog, rateLimit: of.rateLimit },
    ...{ answerAfterMs: 0, tellsRecords: false },
  }
  const world = forkChild('freshness/world-child.ts', [JSON.stringify(settings)])
  try {
    const { url, token, receiver, visible } = await world.first(worldReadySchema)
    const flags = [
      ...['--source-url', url, '--token', token, '--endpoint', receiver, '--secret', secret],
      ...['--allow-private-endpoints', '--start-at', 'earliest', '--include-soft'],
      ...['--page-size', String(of.pageSize)],
      ...(of.rateLimit === 0 ? ['--requests-per-minute', String(noLimitPerMinute)] : []),
    ]
    const emulators = of.emulatorsApart ? await startEmulatorsApart() : null
    const enqueuedAtMs: number[] = []
    const onLine = ({ kind, at }: Line): void => {
      if (kind === 'enqueued') enqueuedAtMs.push(Date.parse(at))
    }
    const startedMs = Date.now()
    const bridge = emulators === null ? startBridge(flags, onLine) : startAlone(emulators.answer, flags)
    try {
      let report = await world.ask(worldReportSchema)
      while (report.arrived < visible && Date.now() - startedMs < givenUpAfterMs) {
        await wait(lookEveryMs)
        report = await world.ask(worldReportSchema)
      }
      if (report.arrived < visible) throw new Error(`only ${report.arrived} of ${visible} arrived`)
      return {
        records: visible,
        seconds: (report.lastAtMs - startedMs) / 1_000,
        ...usageOf(bridge.pid),
        emulators: emulators === null ? null : usageOf(emulators.pid),
        enqueuedAtMs,
        report,
      }
    } finally {
      await bridge.stop()
      emulators?.end()
    }
  } finally {
    world.end()
  }
}

const usageOf = (pid: number) => ({ cpuSeconds: cpuSeconds(pid), peakBytes: peakMemoryBytes(pid) })

const startEmulatorsApart = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bridge-bench-emulators-'))
  const child = forkChild('emulators-child.ts', [dataDir])
  const answer = await child.first(z.json())
  const end = (): void => {
    child.end()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { pid: child.pid, answer, end }
}

const startAlone = (emulators: z.core.util.JSONType, flags: readonly string[]) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bridge-bench-'))
  const args = [JSON.stringify(emulators), '--data', dataDir, ...flags]
  const child = fork(join(import.meta.dirname, 'bridge-child.ts'), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...startFlags],
  })
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.disconnect()
    await exited
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { pid: child.pid ?? 0, stop }
}
