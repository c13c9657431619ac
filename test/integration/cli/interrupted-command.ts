import { once } from 'node:events'
import { vi } from 'vitest'
import { startCommand } from '../local/commands.ts'

/** The command in a process of its own, ended by a signal once `isUnderWay`; says with which code or signal it ended. */
export const interruptCommand = async (of: {
  dataDir: string
  args: string
  signal: 'SIGINT' | 'SIGKILL'
  isUnderWay: () => Promise<boolean>
}): Promise<{ ended: number | NodeJS.Signals | null; stderr: string }> => {
  await using command = startCommand('infra/cli/main.ts', [...of.args.split(' '), '--data', of.dataDir])
  const look = async (): Promise<void> => {
    if (!(await of.isUnderWay())) throw new Error('not yet')
  }
  await vi.waitFor(look, { timeout: 20_000, interval: 5 })
  command.child.kill(of.signal)
  if (command.child.exitCode === null && command.child.signalCode === null) await once(command.child, 'close')
  return { ended: await command.ended, stderr: command.stderr() }
}
