import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { hostileEndpoints } from './hostile-endpoints.ts'
import { startHostile } from './hostile-servers.ts'

// The other side of leak-run.ts: every hostile endpoint, and a name server that never answers.
const servers = await Promise.all(
  hostileEndpoints.map(async endpoint => ({ endpoint, server: await startHostile(endpoint) })),
)
const silent = createSocket('udp4').bind(0, '127.0.0.1')
await once(silent, 'listening')

process.on('message', () => {
  const open = servers.filter(({ server }) => server.open() > 0)
  process.send?.(open.map(({ endpoint, server }) => `${endpoint.name}: ${server.open()}`))
})
process.on('disconnect', () => process.exit())
process.send?.({
  endpoints: servers.map(({ endpoint, server }) => ({
    name: endpoint.name,
    url: server.url,
    outcome: endpoint.outcome,
    untilDeadline: endpoint.untilDeadline,
  })),
  nameServer: `127.0.0.1:${silent.address().port}`,
})
