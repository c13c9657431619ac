import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Halves the time until the command begins. Among our own files: what a shared folder holds, another user may have written.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/bridge-command', import.meta.url)))
// After it, or what is loaded would not be kept.
const { start } = await import('./start.ts')
await start()
