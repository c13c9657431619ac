import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { entries } from '../../../infra/cli/entries.ts'
import { temporaryFolder } from '../local/folders.ts'
import { runBridgeCommand } from './bridge-command.ts'

test('bash completes nouns, commands and flags with what the command prints', async () => {
  using folder = temporaryFolder()
  const script = await runBridgeCommand(['completion', 'bash'])
  expect([script.code, script.stderr]).toEqual([0, ''])
  writeFileSync(
    folder.of('try.sh'),
    `${script.stdout}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _bridge; echo "\${COMPREPLY[*]}"`,
  )
  const completed = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('bash', [folder.of('try.sh'), 'bridge', ...words])).stdout.trim()
  expect(await completed('so')).toBe('source')
  const names = entries.map(({ name }) => name)
  expect(await completed('')).toBe([...names, '--help', '--version'].join(' '))
  expect(await completed('source', 're')).toBe('resume rewind remove')
  expect(await completed('endpoint', 'test', 'crm', '--t')).toBe('--type')
  expect(await completed('apply', '-f')).toBe('-f')
  expect(await completed('completion', 'b')).toBe('bash')
  const zsh = await runBridgeCommand(['completion', 'zsh'])
  expect(zsh.stdout).toBe(`autoload -U +X compinit bashcompinit\ncompinit\nbashcompinit\n${script.stdout}`)
})
