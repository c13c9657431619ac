import * as z from 'zod'
import { showDuration } from '../../local/durations.ts'
import { deliveryJson } from '../deliveries/delivery-json.ts'
import { renderAttempts, standingText } from '../deliveries/render.ts'
import type { Look } from '../output/look.ts'
import { showMoment, showMomentAndAge } from '../output/moments.ts'
import { printable } from '../output/printable.ts'
import { renderFields } from '../output/table.ts'
import { none } from '../output/texts.ts'
import { summaryJson } from './event-rows.ts'
import { parsedBody } from './parsed-body.ts'
import type { DeliveryStory, EventStory } from './story.ts'

const text = z.string().nullable().catch(null)

/** What people want to see of a body; whatever is not as it should be is not shown. */
const bodySchema = z.object({
  data: z.object({
    recipient: z.object({ address: text }),
    sender: z.object({ header_from: text }),
    bounce: z
      .object({
        type: text,
        category: text,
        smtp_code: z.number().nullable().catch(null),
        enhanced_code: text,
        diagnostic: text,
      })
      .optional(),
    complaint: z.object({ subject: text }).optional(),
    suggested_action: text,
  }),
})

export const storyJson = ({ event, deliveries }: EventStory) => ({
  ...summaryJson(event),
  event: event.body === null ? null : parsedBody(event.body),
  deliveries: deliveries.map(({ endpointId, matched, delivery }) => ({
    endpoint: endpointId,
    matched,
    // No attempt was settled: it is in a queue.
    ...(delivery === null ? { state: null, attempts: [] } : deliveryJson(delivery)),
  })),
})

export const renderStory = (look: Look, story: EventStory, nowMs: number): string => {
  const { event, deliveries } = story
  const recordMs = event.second * 1_000
  const lateMs = Math.max(0, event.loggedAtMs - recordMs)
  const fields = renderFields(look, [
    ['Event', look.colors.bold(event.id)],
    ['Type', event.type],
    ['Source', `${event.sourceId}, ${event.stream}, record ${printable(event.recordId)}`],
    ['At the service', showMomentAndAge(recordMs, nowMs)],
    ['Read and enqueued', `${showMoment(event.loggedAtMs)}, ${showDuration(lateMs)} later`],
    ['Kept until', showMomentAndAge(event.expiresAtSeconds * 1_000, nowMs)],
    ...(event.body === null ? forgottenFields(event.forgottenAtMs, nowMs) : bodyFields(event.body)),
  ])
  const parts = deliveries.map(delivery => renderDelivery(look, delivery, nowMs))
  const nobody = 'It matched no endpoint when it was read.'
  return [fields, ...(parts.length === 0 ? [nobody] : parts)].join('\n\n')
}

const forgottenFields = (forgottenAtMs: number, nowMs: number): [string, string][] => [
  ['Forgotten', `${showMomentAndAge(forgottenAtMs, nowMs)}; nothing of the record is left but this`],
]

const bodyFields = (body: string): [string, string][] => {
  const read = bodySchema.safeParse(parsedBody(body))
  if (!read.success) return []
  const { recipient, sender, bounce, complaint, suggested_action: action } = read.data.data
  const shown = (value: string | number | null): string => (value === null ? none : printable(String(value)))
  const fields: [string, string | number | null][] = [
    ['Recipient', recipient.address],
    ['From', sender.header_from],
  ]
  if (bounce !== undefined) {
    const facts = [bounce.type, bounce.category, bounce.smtp_code, bounce.enhanced_code]
    fields.push(['Bounce', facts.filter(fact => fact !== null).join(', ')], ['Diagnostic', bounce.diagnostic])
  }
  if (complaint !== undefined) fields.push(['Subject', complaint.subject])
  fields.push(['Suggested', action])
  return fields.map(([name, value]) => [name, shown(value)])
}

const renderDelivery = (look: Look, story: DeliveryStory, nowMs: number): string => {
  const { endpointId, endpoint, matched, delivery } = story
  const name = look.colors.bold(endpointId)
  const since = matched ? '' : ' (recovered since)'
  const state = endpoint === null || endpoint.state === 'active' ? '' : ` [endpoint ${endpoint.state}]`
  const head = `${name}${since}${state}`
  if (delivery === null) return `${head}: in a queue, no attempt is settled yet`
  const line = `${head}: ${standingText(look, delivery, nowMs)}`
  return delivery.attempts.length === 0 ? line : `${line}\n${renderAttempts(look, delivery)}`
}
