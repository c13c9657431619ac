import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { deliveryReasons } from '../../../shared/domain/delivery/reasons.ts'
import { failureReason, isSuccess } from '../../../shared/domain/delivery/retry-policy.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventTypes } from '../../../shared/domain/event/event-types.ts'
import { testEvent } from '../../../shared/domain/event/test-event.ts'
import { showDuration } from '../../local/durations.ts'
import { defineCommand } from '../command.ts'
import { exitDone, exitFailed } from '../exit-codes.ts'
import { optional } from '../input.ts'
import type { Look } from '../output/look.ts'
import { masked } from '../output/texts.ts'
import { show } from '../session.ts'
import { checkAllowPrivate, privateMend } from './check-url.ts'
import { findPresentEndpoint } from './find-endpoint.ts'
import { allowPrivateFlag, endpointIdArgument } from './inputs.ts'
import { type SentTest, sendTest } from './send-test.ts'

export const testEndpoint = defineCommand({
  name: 'test',
  summary: 'Send a signed test event to an endpoint now, and show request, answer and time',
  details:
    'One attempt from this machine, signed as ever, whatever the state and the types of the endpoint; nothing is recorded\n' +
    'and nothing is tried again. An event of another type than webhook.test looks like a real one, but its source is\n' +
    'bridge-test. The exit code is 0 where the answer is 2xx, else 1.',
  examples: [
    { line: 'bridge endpoint test crm' },
    { line: 'bridge endpoint test crm --type email.bounce.hard --stack feedback-bridge' },
  ],
  input: z.object({
    id: endpointIdArgument,
    type: optional(z.enum(eventTypes, { error: `must be one of ${eventTypes.join(', ')}` }), {
      value: 'TYPE',
      text: 'the type of the event (default webhook.test)',
    }),
    'allow-private-endpoints': allowPrivateFlag,
  }),
  run: async (input, session) => {
    const bridge = await session.open()
    const allowPrivate = input['allow-private-endpoints'] === true
    checkAllowPrivate(bridge.target, allowPrivate)
    const endpoint = await findPresentEndpoint(bridge, input.id)
    const second = Math.floor(session.clock.now() / 1_000)
    const type = input.type ?? 'webhook.test'
    const event = testEvent({ type, endpointId: endpoint.id, uuid: randomUUID(), second })
    const { clock } = session
    const sent = await sendTest({ endpoint, event, allowPrivate }, { bridge, clock })
    show(session, {
      json: () => sentJson(endpoint, type, sent),
      text: look => renderSent(look, endpoint, sent),
    })
    if (sent.result.kind === 'failed') {
      const { reason } = sent.result
      const mend = privateMend(endpoint, { target: bridge.target, allowPrivate, reason })
      if (mend !== null) session.io.note(mend)
    }
    return isSuccess(sent.result) ? exitDone : exitFailed
  },
})

const reasonOf = (result: SendResult): string | null => (isSuccess(result) ? null : failureReason(result))

/** The endpoint's own values and its authorization may be secrets. */
const shownHeaders = ({ headers: own }: Endpoint, { headers }: SentTest): [name: string, value: string][] =>
  Object.entries(headers).map(([name, value]) => {
    if (name === 'authorization') return [name, `${value.split(' ')[0]} ${masked}`]
    return [name, Object.hasOwn(own, name) && value === own[name] ? masked : value]
  })

const sentJson = (endpoint: Endpoint, type: string, sent: SentTest) => {
  const { id, url } = endpoint
  const { body, result } = sent
  return {
    endpoint: id,
    type,
    delivered: isSuccess(result),
    request: { method: 'POST', url, headers: Object.fromEntries(shownHeaders(endpoint, sent)), body },
    answer: result.kind === 'answered' ? { status: result.status, body: result.answer } : null,
    reason: reasonOf(result),
    tookMs: result.tookMs,
  }
}

const renderSent = (look: Look, endpoint: Endpoint, sent: SentTest): string => {
  const { body, result } = sent
  const { bold, dim, green, red } = look.colors
  const request = [
    bold(`POST ${endpoint.url}`),
    ...shownHeaders(endpoint, sent).map(([name, value]) => `${dim(`${name}:`)} ${value}`),
    '',
    JSON.stringify(JSON.parse(body), null, 2),
  ]
  const took = `in ${showDuration(result.tookMs)}`
  if (result.kind === 'failed') {
    return [
      ...request,
      '',
      red(`No answer ${took}: ${result.reason}, ${deliveryReasons[result.reason]}.`),
    ].join('\n')
  }
  const verdict = isSuccess(result)
    ? green(`Answered ${result.status} ${took}: delivered.`)
    : red(`Answered ${result.status} ${took}: not delivered; only 2xx is taken for a success.`)
  const answer = result.answer === '' ? [] : [dim('It said:'), result.answer]
  return [...request, '', verdict, ...answer].join('\n')
}
