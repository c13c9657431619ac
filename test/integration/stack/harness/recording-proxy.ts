import { createServer } from 'node:http'
import { close, listen } from '../../../../infra/local/loopback.ts'
import { type AwsCall, type CallFacts, readCall, type Service } from './aws-calls.ts'
import { isAllowed, type Statement } from './iam-policies.ts'

export type RecordedCall = AwsCall & { allowed: boolean }

/** Stands between one function and the emulators: records each call, and lets through what its role allows. */
export type RecordingProxy = {
  endpoint: string
  calls: readonly RecordedCall[]
  /** Requests that the harness could not read. */
  problems: readonly string[]
  close(): Promise<void>
}

type ProxySettings = {
  targets: Readonly<Record<Service, string>>
  facts: CallFacts
  statements: () => readonly Statement[]
}

type Answer = { status: number; text: string }

const refusal = (type: string, message: string): Answer => ({
  status: 400,
  text: JSON.stringify({ __type: type, message }),
})

const passedOn = ['content-type', 'x-amz-target', 'authorization', 'x-amz-date'] as const

/** Starts it on loopback. All the services speak the same protocol: JSON, the operation in a header. */
export const startRecordingProxy = async (settings: ProxySettings): Promise<RecordingProxy> => {
  const calls: RecordedCall[] = []
  const problems: string[] = []

  const answerTo = async (headers: Record<string, string>, text: string): Promise<Answer> => {
    const { service, call } = readCall(headers['x-amz-target'] ?? '', JSON.parse(text), settings.facts)
    const allowed = isAllowed(settings.statements(), call)
    calls.push({ ...call, allowed })
    if (!allowed) {
      return refusal('AccessDeniedException', `not authorized to perform ${call.action} on ${call.resource}`)
    }
    const answer = await fetch(settings.targets[service], { method: 'POST', headers, body: text })
    return { status: answer.status, text: await answer.text() }
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const headers = Object.fromEntries(passedOn.map(name => [name, String(request.headers[name] ?? '')]))
    const answer = await answerTo(headers, Buffer.concat(parts).toString('utf8')).catch((error: unknown) => {
      problems.push(String(error))
      return refusal('HarnessError', String(error))
    })
    response.writeHead(answer.status, { 'content-type': headers['content-type'] ?? '' }).end(answer.text)
  })
  return { endpoint: await listen(server), calls, problems, close: () => close(server) }
}
