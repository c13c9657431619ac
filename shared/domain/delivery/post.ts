import type { Clock } from '../clock.ts'
import { secretsInAuthorization } from '../endpoint/authorization.ts'
import { sendableHeaders } from '../endpoint/custom-headers.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { signatureHeaders } from '../signing/sign.ts'
import { type Attempt, statusOf } from './attempt.ts'
import type { CredentialsOfEndpoint, EndpointCredentials } from './endpoint-credentials.ts'
import { isSuccess } from './retry-policy.ts'
import { scrubAnswer } from './scrub-answer.ts'
import type { WebhookSender } from './webhook-sender.ts'

/** What was sent to be let in was not taken. */
const unauthorizedStatus = 401
/** A shorter value of a header stands in answers by chance. */
const secretValueCharsMin = 8

export type Credentials = Extract<CredentialsOfEndpoint, { kind: 'credentials' }>

export type PostDeps = {
  clock: Clock
  sender: WebhookSender
  credentials: EndpointCredentials
  deadlineMs: number
}

export type ToPost = {
  event: { eventId: string; body: string }
  endpoint: Pick<Endpoint, 'id' | 'url' | 'headers' | 'authorization'>
  credentials: Credentials
}

/** One signed POST of an event to an endpoint. What is kept of an answer has neither addresses nor secrets in it. */
export const post = async (
  of: ToPost,
  { clock, sender, credentials, deadlineMs }: PostDeps,
): Promise<Attempt> => {
  const atMs = clock.now()
  const { endpoint, event } = of
  const headers = requestHeaders(of, atMs)
  const result = await sender.send({ endpoint, headers, body: event.body, deadlineMs })
  if (statusOf(result) === unauthorizedStatus) credentials.noteRefused(endpoint)
  // Of a success no answer is kept.
  if (result.kind !== 'answered' || isSuccess(result)) return { atMs, result }
  return { atMs, result: { ...result, answer: answerWithoutSecrets(result.answer, of) } }
}

/** The endpoint's headers, then ours, which win whatever the table holds. */
export const requestHeaders = (of: ToPost, atMs: number): Readonly<Record<string, string>> => {
  const { event, credentials } = of
  const { eventId: id, body } = event
  const signed = { id, body, timestampSeconds: Math.floor(atMs / 1000), keys: credentials.keys }
  return {
    ...sendableHeaders(of.endpoint.headers),
    'content-type': 'application/json',
    ...signatureHeaders(signed),
    ...(credentials.authorization !== null && { authorization: credentials.authorization }),
  }
}

/** What may be shown of an answer: it may quote what was sent. */
export const answerWithoutSecrets = (
  answer: string,
  { endpoint, credentials: { authorization } }: Pick<ToPost, 'endpoint' | 'credentials'>,
): string => {
  const values = Object.values(endpoint.headers).filter(({ length }) => length >= secretValueCharsMin)
  const secrets = [...(authorization === null ? [] : secretsInAuthorization(authorization)), ...values]
  return scrubAnswer(answer, secrets)
}
