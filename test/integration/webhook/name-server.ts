import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** Of DNS (RFC 1035, sections 3.2.2 and 4.1.1; AAAA: RFC 3596). */
export const typeA = 1
export const typeAaaa = 28
export const servfail = 2
export const nxdomain = 3
export const refused = 5

/** What is said for a type of record of a name; null: nothing, ever. */
export type Zone = (
  type: number,
  name: string,
) => { code?: number; addresses?: readonly (readonly number[])[] } | null

const nameOf = (query: Buffer): string => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return labels.join('.')
}

/** A name server of a page: answers each question with what the zone says for its type, or never. */
export const startNameServer = async (zone: Zone): Promise<string> => {
  const server = createSocket('udp4')
  server.on('message', (query, from) => {
    // A header of 12 bytes, then the question: labels up to an empty one, type and class.
    const end = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(end - 4)
    const said = zone(type, nameOf(query))
    if (said === null) return
    const records = (said.addresses ?? []).map(bytes => {
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length])
      return Buffer.concat([head, Buffer.from(bytes)])
    })
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180 | (said.code ?? 0), 2)
    header.writeUInt16BE(records.length, 6)
    header.writeUInt32BE(0, 8)
    server.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${server.address().port}`
}
