import { createServer } from 'node:http'
import * as z from 'zod'
import { close, listen } from '../../../infra/local/loopback.ts'

export type SecretsManagerTwin = {
  endpoint: string
  /** Null where there is none, or it waits for its deletion. */
  value(name: string): string | null
  description(name: string): string | null
  close(): Promise<void>
}

type Secret = { text: string; description: string | null; isDeleted: boolean }

const bodySchema = z.object({
  Name: z.string().optional(),
  SecretId: z.string().optional(),
  SecretString: z.string().optional(),
  Description: z.string().optional(),
  RecoveryWindowInDays: z.int().min(7).max(30).optional(),
})

/** AWS Secrets Manager as far as an operator writes secrets, with deletions that can be taken back, on loopback. */
export const startSecretsManagerTwin = async (held: Record<string, string>): Promise<SecretsManagerTwin> => {
  const secrets = new Map<string, Secret>(
    Object.entries(held).map(([name, text]) => [name, { text, description: null, isDeleted: false }]),
  )
  const answerOf = (operation: string, body: z.infer<typeof bodySchema>): object | string => {
    const name = body.Name ?? body.SecretId ?? ''
    const secret = secrets.get(name)
    if (operation === 'CreateSecret') {
      if (secret !== undefined) return 'ResourceExistsException'
      secrets.set(name, {
        text: body.SecretString ?? '',
        description: body.Description ?? null,
        isDeleted: false,
      })
      return { Name: name }
    }
    if (secret === undefined) return 'ResourceNotFoundException'
    if (operation === 'RestoreSecret') secret.isDeleted = false
    else if (secret.isDeleted) return 'InvalidRequestException'
    else if (operation === 'PutSecretValue') secret.text = body.SecretString ?? ''
    else if (operation === 'DeleteSecret') secret.isDeleted = true
    else if (operation !== 'GetSecretValue') return 'InvalidAction'
    return { Name: name, SecretString: secret.text }
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += String(part)
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
    const answer = answerOf(operation, bodySchema.parse(JSON.parse(text)))
    const body = typeof answer === 'string' ? { __type: answer, message: 'no' } : answer
    response.writeHead(typeof answer === 'string' ? 400 : 200, {
      'content-type': 'application/x-amz-json-1.1',
    })
    response.end(JSON.stringify(body))
  })
  const present = (name: string): Secret | null => {
    const secret = secrets.get(name)
    return secret === undefined || secret.isDeleted ? null : secret
  }
  return {
    endpoint: await listen(server),
    value: name => present(name)?.text ?? null,
    description: name => present(name)?.description ?? null,
    close: () => close(server),
  }
}
