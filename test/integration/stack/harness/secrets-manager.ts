import { randomInt, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import * as z from 'zod'
import { close, listen } from '../../../../infra/local/loopback.ts'
import { arnOf } from './intrinsics.ts'

type Version = { id: string; text: string; stages: Set<string> }
type Secret = { name: string; versions: Version[] }

/** AWS Secrets Manager, as far as a bridge and its operator use it, with version stages. */
export type SecretsManager = {
  endpoint: string
  /** As `CreateSecret`, or `PutSecretValue` where there is one: the current value becomes the previous one. */
  put(name: string, text: string): void
  /** As a rotation begins: written, and not yet current. */
  putPending(name: string, text: string): void
  /** As `UpdateSecretVersionStage` at a rotation's end: pending becomes current, current previous. */
  promote(name: string): void
  /** The current value. Throws where there is none. */
  current(name: string): string
  /** With the six characters that AWS adds; without them where there is none of that name. */
  arn(nameOrArn: string): string
  close(): Promise<void>
}

export const currentStage = 'AWSCURRENT'
const previousStage = 'AWSPREVIOUS'
const pendingStage = 'AWSPENDING'
/** Stands for the random characters that AWS puts behind a secret's name in its ARN. */
const arnSuffix = '-Ab12Cd'

const getSchema = z.strictObject({
  SecretId: z.string(),
  VersionStage: z.string().default(currentStage),
})
const putSchema = z.strictObject({
  SecretId: z.string(),
  SecretString: z.string(),
  VersionStages: z.array(z.string()).optional(),
  ClientRequestToken: z.string().optional(),
})

class Refusal extends Error {}
const notFound = (): Refusal =>
  new Refusal("Secrets Manager can't find the specified secret.", { cause: 'ResourceNotFoundException' })

/** Starts it on loopback (JSON 1.1; the target's last part is the operation). */
export const startSecretsManager = async (): Promise<SecretsManager> => {
  const secrets = new Map<string, Secret>()
  const fullArn = (name: string): string => arnOf('secretsmanager', `secret:${name}${arnSuffix}`)
  const find = (id: string): Secret | undefined =>
    secrets.get(id) ?? [...secrets.values()].find(({ name }) => fullArn(name) === id)
  const get = (id: string): Secret => {
    const secret = find(id)
    if (secret === undefined) throw notFound()
    return secret
  }

  const operations: Readonly<Record<string, (body: unknown) => object>> = {
    GetSecretValue: body => {
      const { SecretId, VersionStage } = getSchema.parse(body)
      const secret = get(SecretId)
      const version = versionOf(secret, VersionStage)
      return { ...described(secret), SecretString: version.text, ...shown(version) }
    },
    DescribeSecret: body => {
      const secret = get(getSchema.parse(body).SecretId)
      const stages = secret.versions.map(({ id, stages }) => [id, [...stages]])
      return { ...described(secret), VersionIdsToStages: Object.fromEntries(stages) }
    },
    PutSecretValue: body => {
      const {
        SecretId,
        SecretString,
        VersionStages = [currentStage],
        ClientRequestToken,
      } = putSchema.parse(body)
      const secret = get(SecretId)
      const version = addVersion(secret, SecretString, VersionStages, ClientRequestToken)
      return { ...described(secret), ...shown(version) }
    },
  }
  const described = (secret: Secret) => ({ ARN: fullArn(secret.name), Name: secret.name })
  const shown = ({ id, stages }: Version) => ({ VersionId: id, VersionStages: [...stages] })

  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
    try {
      const name = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
      const operation = operations[name]
      if (operation === undefined) throw new Refusal(`no ${name} here`, { cause: 'InvalidAction' })
      answer(200, operation(JSON.parse(await textOf(request))))
    } catch (error) {
      const known = error instanceof Refusal ? String(error.cause) : 'InternalServiceError'
      answer(400, { __type: known, message: error instanceof Error ? error.message : '' })
    }
  })
  return {
    endpoint: await listen(server),
    put: (name, text) => {
      const secret = secrets.get(name) ?? { name, versions: [] }
      secrets.set(name, secret)
      addVersion(secret, text, [currentStage])
    },
    putPending: (name, text) => {
      addVersion(get(name), text, [pendingStage])
    },
    promote: name => {
      const secret = get(name)
      const pending = versionOf(secret, pendingStage)
      pending.stages.delete(pendingStage)
      moveStage(secret, currentStage, pending)
    },
    current: name => versionOf(get(name), currentStage).text,
    arn: id => (find(id) === undefined ? arnOf('secretsmanager', `secret:${id}`) : fullArn(get(id).name)),
    close: () => close(server),
  }
}

const versionOf = (secret: Secret, stage: string): Version => {
  const version = secret.versions.find(({ stages }) => stages.has(stage))
  if (version === undefined) throw notFound()
  return version
}

const addVersion = (
  secret: Secret,
  text: string,
  stages: readonly string[],
  id: string = randomUUID(),
): Version => {
  const version: Version = { id, text, stages: new Set() }
  secret.versions.push(version)
  for (const stage of stages) moveStage(secret, stage, version)
  return version
}

/** A stage is one version's at a time. What was current becomes the previous one (User Guide, "Version"). */
const moveStage = (secret: Secret, stage: string, to: Version): void => {
  const from = secret.versions.find(({ stages }) => stages.has(stage))
  from?.stages.delete(stage)
  to.stages.add(stage)
  if (stage === currentStage && from !== undefined) moveStage(secret, previousStage, from)
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString('utf8')
}

/** What CloudFormation may ask Secrets Manager to generate; strict, as is the whole harness. */
const generateSchema = z.strictObject({
  PasswordLength: z.int(),
  ExcludePunctuation: z.literal(true),
  IncludeSpace: z.literal(false).optional(),
})
const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A secret as `GenerateSecretString` makes it. */
export const generateSecret = (properties: unknown): string => {
  const { PasswordLength } = generateSchema.parse(properties)
  return Array.from(
    { length: PasswordLength },
    () => lettersAndDigits[randomInt(lettersAndDigits.length)],
  ).join('')
}
