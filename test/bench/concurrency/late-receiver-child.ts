import { createServer } from 'node:http'
import * as z from 'zod'
import { listen } from '../../../infra/local/loopback.ts'

/** An endpoint that takes its time, in a process of its own. Argument: how many milliseconds. */
const [answerAfterMs] = z.tuple([z.coerce.number().nonnegative()]).parse(process.argv.slice(2))
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => setTimeout(() => response.writeHead(204).end(), answerAfterMs))
})
process.send?.(Number(new URL(await listen(server)).port))
process.on('disconnect', () => process.exit(0))
