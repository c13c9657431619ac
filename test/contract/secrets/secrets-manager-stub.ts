import { createServer } from 'node:http'
import * as z from 'zod'
import { close, listen } from '../../../infra/local/loopback.ts'

export type SecretsManagerStub = {
  endpoint: string
  /** From now on it holds these, by full name, refuses nothing and has been asked nothing. */
  hold(secrets: Record<string, string>): void
  /** From now on it answers with this error. */
  refuse(errorName: string): void
  /** The names that were asked for. */
  asked(): string[]
  close(): Promise<void>
}

const requestSchema = z.object({ SecretId: z.string() })

/** GetSecretValue in the JSON protocol of AWS Secrets Manager, on loopback. */
export const startSecretsManagerStub = async (): Promise<SecretsManagerStub> => {
  let held = new Map<string, string>()
  let refusal: string | null = null
  let asked: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { SecretId } = requestSchema.parse(JSON.parse(Buffer.concat(parts).toString('utf8')))
    asked.push(SecretId)
    const secret = held.get(SecretId)
    const error = refusal ?? (secret === undefined ? 'ResourceNotFoundException' : null)
    const answer = error ? { __type: error, message: 'no' } : { Name: SecretId, SecretString: secret }
    response.writeHead(error ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(answer))
  })
  return {
    endpoint: await listen(server),
    hold: secrets => {
      held = new Map(Object.entries(secrets))
      refusal = null
      asked = []
    },
    refuse: errorName => {
      refusal = errorName
    },
    asked: () => asked,
    close: () => close(server),
  }
}
