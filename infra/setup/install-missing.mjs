// Runs before `npm start`, `npm test` and the other commands, on whatever Node the machine has (20 or later):
// installs the dependencies where they are missing or older than the lock file, and says so.
// Plain JavaScript, no imports beyond Node: nothing else is there yet.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldestMajor = 20
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

const major = Number(process.versions.node.split('.')[0])
if (major < oldestMajor) {
  console.error(`This project needs Node ${oldestMajor} or later; this is Node ${process.versions.node}.`)
  process.exit(2)
}

// npm writes this file at the end of an install, so an install that was cut off is not mistaken for a whole one.
const installed = join(root, 'node_modules', '.package-lock.json')
const bundledNode = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
const lock = join(root, 'package-lock.json')
const upToDate =
  existsSync(installed) && existsSync(bundledNode) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs

if (!upToDate) {
  console.error('Installing dependencies (npm ci) ...')
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev']
  // stdout belongs to the command that follows (it may print JSON lines), so npm writes to stderr.
  const stdio = ['ignore', 2, 2]
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio })
    : spawnSync('npm', args, { cwd: root, stdio, shell: process.platform === 'win32' })
  if (result.status !== 0) {
    console.error('npm ci failed: see above. The package registry must be reachable for the first run.')
    process.exit(1)
  }
}
