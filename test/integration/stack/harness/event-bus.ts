import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import * as z from 'zod'
import { close, listen } from '../../../../infra/local/loopback.ts'

const entrySchema = z.strictObject({
  EventBusName: z.string(),
  Source: z.string(),
  DetailType: z.string(),
  Time: z.number(),
  Detail: z.string(),
})
const requestSchema = z.strictObject({ Entries: z.array(entrySchema).min(1).max(10) })
export type BusEntry = z.output<typeof entrySchema>

/** Amazon EventBridge, as far as the bridge uses it. */
export type EventBus = {
  endpoint: string
  /** The entries that were taken, in their order. */
  taken: readonly BusEntry[]
  /** Requests that were none, each with what was wrong. */
  problems: readonly string[]
  /** What comes of the entries of the next requests, by their places: an error code, or taken where there is none. */
  answer(errorCodes: readonly (string | null)[]): void
  /** The next requests fail as a whole. */
  refuse(errorName: string | null): void
  close(): Promise<void>
}

/** Starts it on loopback (JSON 1.1, `X-Amz-Target: AWSEvents.PutEvents`). */
export const startEventBus = async (): Promise<EventBus> => {
  const taken: BusEntry[] = []
  const problems: string[] = []
  let codes: readonly (string | null)[] = []
  let refusal: string | null = null

  const answerTo = (target: unknown, text: string): object => {
    if (target !== 'AWSEvents.PutEvents') throw new Error(`the target ${String(target)} is not known`)
    const { Entries } = requestSchema.parse(JSON.parse(text))
    const results = Entries.map((entry, at) => {
      const code = codes[at] ?? null
      if (code !== null) return { ErrorCode: code, ErrorMessage: 'not taken' }
      taken.push(entry)
      return { EventId: randomUUID() }
    })
    return { FailedEntryCount: results.filter(result => 'ErrorCode' in result).length, Entries: results }
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
    }
    if (refusal !== null) return send(400, { __type: refusal, message: 'no' })
    try {
      send(200, answerTo(request.headers['x-amz-target'], Buffer.concat(parts).toString('utf8')))
    } catch (error) {
      problems.push(String(error))
      send(400, { __type: 'ValidationException', message: 'no' })
    }
  })
  return {
    endpoint: await listen(server),
    taken,
    problems,
    answer: errorCodes => {
      codes = errorCodes
    },
    refuse: errorName => {
      refusal = errorName
    },
    close: () => close(server),
  }
}
