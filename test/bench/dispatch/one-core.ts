import { execFileSync } from 'node:child_process'

/** Has a process, with all its threads, run on one core only; says whether that worked: `taskset` is Linux's. */
export const pinToCore = (pid: number, core: number): boolean => {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
