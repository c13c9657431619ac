import { performance } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'

/**
 * A test hangs if it waits for nothing for so long, or works so much longer than it did without a mutant. Counted is
 * not the time that passes: others use the machine, too.
 */
const idleMsMax = 1_000
export const workMsMin = 1_000
const workMoreMax = 3
const lookEveryMs = 100
/** A loop of microtasks lets no timer of its own thread run: another thread ends the process somewhat later. */
const lastResortMs = 500

const workedMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

/** Of the process, in milliseconds of work; 0: nothing is tried. */
const endsAtMs = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))
const warden = `
  const { workerData: endsAtMs } = require('node:worker_threads')
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    if (endsAtMs[0] > 0 && (user + system) / 1000 > endsAtMs[0]) process.kill(process.pid, 'SIGKILL')
  }, ${lookEveryMs})
`

/** Ends this process where a test never lets go of it. Its last words are for whoever comes after. */
export const startWarden = (): void => {
  new Worker(warden, { eval: true, workerData: endsAtMs }).unref()
}

/** Says when a test hangs; `usualMs` is its work without a mutant. */
export const watchTest = (usualMs: number): { hung: Promise<'hung'>; stop: () => number } => {
  const { promise: hung, resolve } = Promise.withResolvers<'hung'>()
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  const workMsMax = Math.max(workMsMin, workMoreMax * usualMs)
  endsAtMs[0] = Number.isFinite(workMsMax) ? workedMs() + workMsMax + lastResortMs : 0
  const timer = setInterval(() => {
    const isIdle = performance.eventLoopUtilization(loop).idle > idleMsMax
    if (isIdle || workedMs(cpu) > workMsMax) resolve('hung')
  }, lookEveryMs)
  return {
    hung,
    stop: () => {
      clearInterval(timer)
      endsAtMs[0] = 0
      return workedMs(cpu)
    },
  }
}
