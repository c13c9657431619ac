import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// A third less processor time until the bridge begins. Among our own files: what a shared folder holds, another user may
// have written.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/local-bridge', import.meta.url)))
// After it, or what is loaded would not be kept.
const { start } = await import('./start.ts')
await start()
