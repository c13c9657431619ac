import { confirm, isCancel, password, select } from '@clack/prompts'
import { createLogUpdate } from 'log-update'
import { UsageError } from './failures.ts'
import type { Io } from './io.ts'
import { lookOf } from './output/look.ts'

/** Longer than any token or secret: whoever pipes in more has piped in something else. */
const standardInputCharsMax = 65_536

/** The process's own terminal. Questions go to stderr, so that stdout has nothing but the answer. */
export const createTerminalIo = (of: {
  process: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>
  signal: AbortSignal
}): Io => {
  const { stdin, stdout, stderr, env } = of.process
  const asked = { input: stdin, output: stderr, signal: of.signal }
  const draw = createLogUpdate(stderr)
  const isLive = stderr.isTTY === true && env['TERM'] !== 'dumb'
  const progress = (text: string): void => {
    if (!isLive) return
    if (text === '') draw.clear()
    else draw(text)
  }
  return {
    out: text => stdout.write(`${text}\n`),
    note: text => {
      progress('')
      stderr.write(`${text}\n`)
    },
    look: lookOf(stdout, env),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    standardInput: async () => {
      if (stdin.isTTY === true) return null
      let text = ''
      stdin.setEncoding('utf8')
      for await (const part of stdin) {
        text += String(part)
        if (text.length > standardInputCharsMax) throw new UsageError(['standard input is too long for this'])
      }
      return text
    },
    askSecret: async question => {
      const answer = await password({ ...asked, message: question })
      return isCancel(answer) ? null : answer
    },
    confirm: async question => {
      const answer = await confirm({ ...asked, message: question, initialValue: false })
      return !isCancel(answer) && answer
    },
    choose: async (question, options) => {
      const answer = await select({ ...asked, message: question, options: [...options] })
      return isCancel(answer) ? null : answer
    },
    progress,
  }
}
