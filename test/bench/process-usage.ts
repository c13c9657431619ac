import { readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const ticksPerSecond = 100

/** Peak resident memory of a process in bytes, from /proc: what the kernel saw, not what the heap says. */
export const peakMemoryBytes = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status names no VmHWM`)
  return Number(kilobytes) * 1024
}

/** Processor time that a process has used so far, in seconds. */
export const cpuSeconds = (pid: number): number => {
  // The second field is the command in brackets, which may hold spaces; user and system time are the 14th and 15th.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
