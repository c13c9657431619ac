import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'

const main = new URL('../../../infra/simulator/main.ts', import.meta.url).pathname

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})

const run = (...flags: string[]) => {
  const child = spawn(process.execPath, [main, '--port', '0', ...flags])
  children.push(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => {
    output.stdout += String(chunk)
  })
  child.stderr.on('data', chunk => {
    output.stderr += String(chunk)
  })
  return { child, output, closed: once(child, 'close') }
}

describe('npm run simulator', () => {
  it('says where it listens and with what token, serves, and stops cleanly', async () => {
    const { child, output, closed } = run('--rate', '0', '--backlog', '40', '--token', 'a-token')
    await expect.poll(() => output.stdout, { timeout: 20_000 }).toMatch(/\n/)
    const [, url = ''] =
      /simulator: (http:\S+) token a-token .*--seed \d+ --start \S+Z/.exec(output.stdout) ?? []
    const response = await fetch(`${url}/fbl`, { headers: { authorization: 'Bearer a-token' } })
    expect(await response.json()).toMatchObject({ count: 4 })
    child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
    expect(output.stdout).toMatch(/stopped after 1 requests\n$/)
    expect(output.stderr).toBe('')
  })

  it('names every wrong flag with what is right, and exits with 2', async () => {
    const { output, closed } = run(
      '--last-id',
      'time',
      '--page-size',
      '5000',
      '--nonsense',
      '--keep-times',
      '--records',
      '/nowhere',
    )
    expect(await closed).toEqual([2, null])
    expect(output.stderr.split('\n').sort()).toEqual([
      '',
      'simulator: --last-id: must be position or timelogged',
      'simulator: --nonsense: is no flag; --help lists them',
      'simulator: --page-size: must be a whole number from 1 to 1000',
      "simulator: --records /nowhere: the file can't be read (ENOENT)",
    ])
    expect(output.stdout).toBe('')
  })
})
