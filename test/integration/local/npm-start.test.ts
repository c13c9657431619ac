import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..', '..', '..')

test('regression: npm prints nothing of its own on stdout, which belongs to JSON lines', async () => {
  // The level that a surrounding `npm test` hands on would win over the project's own.
  const { npm_config_loglevel: _, ...env } = process.env
  const { stdout } = await promisify(execFile)('npm', ['start', '--', '--version'], { cwd: root, env })
  expect(stdout).toBe(`${packageJson.version}\n`)
})
