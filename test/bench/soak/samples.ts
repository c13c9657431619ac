import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { attachInspector } from './inspector.ts'

/** What is looked at, each as one number. */
export type Sample = {
  atMs: number
  heapMb: number
  externalMb: number
  /** Resident, without the pages of files that the emulator of the table has mapped. */
  anonymousMb: number
  residentMb: number
  sockets: number
  files: number
  handles: number
  threads: number
}

const megabyte = 1024 * 1024

/** One look at a process: its own account of its heap and handles, and the kernel's of its memory and descriptors. */
export const takeSample = async (
  pid: number,
  inspector: Awaited<ReturnType<typeof attachInspector>>,
): Promise<Sample> => {
  const { memory, resources } = await inspector.stateAfterCollection()
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const descriptors = openDescriptors(pid)
  const sockets = descriptors.filter(target => target.startsWith('socket:')).length
  return {
    atMs: Date.now(),
    heapMb: memory.heapUsed / megabyte,
    externalMb: memory.external / megabyte,
    anonymousMb: numberOf(status, 'RssAnon') / 1024,
    residentMb: numberOf(status, 'VmRSS') / 1024,
    sockets,
    files: descriptors.length - sockets,
    // Timers come and go with what is under way; a handle that is left behind is a socket, a pipe or a file.
    handles: resources.filter(name => name !== 'Timeout' && name !== 'Immediate').length,
    threads: numberOf(status, 'Threads'),
  }
}

const numberOf = (status: string, name: string): number => {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]
  if (found === undefined) throw new Error(`/proc/…/status names no ${name}`)
  return Number(found)
}

const openDescriptors = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap(descriptor => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)]
    } catch {
      // Closed since the folder was read.
      return []
    }
  })
