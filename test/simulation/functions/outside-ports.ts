import type { WebhookSender } from '../../../shared/domain/delivery/webhook-sender.ts'
import type { FeedbackApi } from '../../../shared/domain/polling/feedback-api.ts'
import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import {
  activeKeys,
  deriveKey,
  parseMasterSecret,
  parseSecret,
} from '../../../shared/domain/signing/signing-keys.ts'
import type { Source } from '../../../shared/domain/source.ts'
import type { CallPoint, Death } from '../engine/deaths.ts'
import type { Process } from '../engine/process.ts'
import { receive } from '../twins/receivers.ts'
import type { World } from './world.ts'

const frozenMs = { min: 30_000, max: 900_000 }

/** Whether the process goes on once this is done; a death strikes before it or after it. */
const struck = (world: World, process: Process, point: CallPoint): Death => {
  const { scheduler } = world
  const death = scheduler.deaths.strike(process, point)
  if (death === 'no' && scheduler.strikes('frozen')) {
    scheduler.freeze(process, scheduler.now() + scheduler.dice.int(frozenMs.min, frozenMs.max))
  }
  return death
}

/** The service's lists, asked from a process. */
export const apiOf =
  (world: World, process: Process) =>
  (source: Source): FeedbackApi => ({
    listPage: (request, signal) =>
      new Promise((resolve, reject) => {
        const { scheduler } = world
        const service = world.services.get(source.id)
        const asked = request.nextQuery ?? `${request.order} ${request.lastId ?? 'start'}`
        const ask = (): void => {
          if (!process.isAlive) return
          const death = struck(world, process, { name: `GET ${request.stream}`, isWrite: false })
          if (death !== 'no' || service === undefined) {
            scheduler.note(`GET: ${process.id} died before it`)
            scheduler.kill(process)
            return
          }
          service.api.listPage(request, signal).then(
            page => {
              scheduler.note(`${process.id} gets ${page.records.length} records`)
              scheduler.deliver(process, () => resolve(page))
            },
            (error: unknown) => {
              scheduler.count('service_failed')
              scheduler.note(`${process.id} gets ${error instanceof Error ? error.message : 'an error'}`)
              scheduler.deliver(process, () => reject(error))
            },
          )
        }
        const atMs = scheduler.now() + scheduler.dice.int(1, 80)
        scheduler.at(atMs, process.id, `GET ${source.id} ${request.stream} ${asked}`, ask)
      }),
  })

/** A POST arrives, is taken or not, and its answer comes back, or does not. */
export const senderOf = (world: World, process: Process): WebhookSender => ({
  send: request =>
    new Promise(resolve => {
      const { scheduler, ledger } = world
      const { endpoint, headers, body } = request
      const key = { endpointId: endpoint.id, eventId: headers['webhook-id'] ?? '' }
      const isHeartbeat = body.includes('"type":"webhook.heartbeat"')
      const arrive = (): void => {
        const isLate = !process.isAlive
        if (isLate && !scheduler.deaths.isDoneAfterDeath()) return
        const name = isHeartbeat ? 'POST heartbeat' : 'POST'
        const death = isLate ? 'no' : struck(world, process, { name, isWrite: true })
        if (death !== 'no') scheduler.note(`POST: ${process.id} died ${death} it`)
        if (death === 'before') {
          scheduler.kill(process)
          return
        }
        const post = isHeartbeat ? null : ledger.posted(process, { ...key, body })
        const moods = world.moods.get(endpoint.id) ?? { phases: [], healedAtMs: 0 }
        const reception = receive(scheduler, moods, request, keysOf(world, endpoint.id))
        const { result } = reception
        if (post !== null && reception.isAccepted) ledger.acceptedBy(post, key)
        if (isHeartbeat && reception.isAccepted) ledger.heartbeats += 1
        const told = result.kind === 'answered' ? result.status : result.reason
        scheduler.note(`${endpoint.id}: ${told}${reception.isLost ? ' (taken)' : ''}`)
        if (death === 'after') scheduler.kill(process)
        const answer = (): void => {
          if (post !== null && process.isAlive) post.isAnswered = !reception.isLost
          scheduler.deliver(process, () => resolve(result))
        }
        scheduler.at(
          scheduler.now() + result.tookMs,
          process.id,
          `answer to ${key.eventId.slice(-6)}`,
          answer,
        )
      }
      const what = `POST ${endpoint.id} ${key.eventId.slice(-6)}`
      scheduler.at(scheduler.now() + scheduler.dice.int(1, 40), process.id, what, arrive)
    }),
})

/** The keys that the endpoint's owner knows: all that signed within the last minutes. */
const keysOf = (world: World, endpointId: string): Uint8Array[] => {
  const graceMs = 20 * 60_000
  return activeKeys(world.keysOf(endpointId), world.scheduler.now() - graceMs).flatMap(
    ({ version, secret }) => {
      const text = world.allSecrets.get(secret ?? masterSecretName) ?? ''
      const parsed = secret === null ? parseMasterSecret(text) : parseSecret(text)
      if (parsed.kind !== 'key') return []
      const derive = { masterSecret: parsed.key, endpointId, keyVersion: version }
      return [secret === null ? deriveKey(derive) : parsed.key]
    },
  )
}
