import { createServer } from 'node:http'
import * as z from 'zod'
import { listen } from '../../../infra/local/loopback.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'

/**
 * The other side of a local run, in a process of its own: a simulated service with so many records a second (the
 * argument), and one server for all endpoints. What their path says decides how they answer.
 */
const [rate] = z.tuple([z.coerce.number().positive()]).parse(process.argv.slice(2))
const lateMs = 10_000

const receivers = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const answer = (): void => void response.writeHead(204).end()
    if (request.url?.startsWith('/never')) return
    if (request.url?.startsWith('/late')) setTimeout(answer, lateMs)
    else answer()
  })
})
const simulator = await startSimulator({ rate, rateLimit: 0, seed: 7 })
process.send?.({ url: simulator.url, token: simulator.token, receivers: await listen(receivers) })
process.on('disconnect', () => process.exit(0))
