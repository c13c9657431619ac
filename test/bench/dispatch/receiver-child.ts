import * as z from 'zod'
import { cannedBytes, startCannedServer } from './canned-server.ts'

/** All endpoints, in a process of their own: each answers 204 at once. Argument: on how many ports. */
const [ports] = z.tuple([z.coerce.number().int().positive()]).parse(process.argv.slice(2))
const noContent = cannedBytes('204 No Content', {})
let posts = 0
const listening = await startCannedServer(() => {
  posts += 1
  return noContent
}, ports)
process.send?.(listening)
process.on('message', () => process.send?.(posts))
process.on('disconnect', () => process.exit(0))
