import type { DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'
import type { Process } from '../engine/process.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import { nameOfDelivery } from '../twins/table.ts'
import { type DoubleCause, newStory, type Post, type Story, whyAgain } from './story.ts'

/** What was done, by whom: what the rules are checked by. */
export type Ledger = {
  /** Whose call is being done. */
  actor: Process | null
  stories: ReadonlyMap<string, Story>
  storyOf(key: DeliveryKey): Story
  /** Events that were in the log at some time, with the step at which they came there first. */
  loggedAt: Map<string, number>
  /** The same of those that are there: the TTL may have removed one, and a re-reading brought it back. */
  inLogSince: Map<string, number>
  /** Events that a start at the latest record logged as seen: nobody is ever to get them. */
  seenAtStart: Set<string>
  /** When each came to the log. */
  recordedAtMs: Map<string, number>
  /** The one body that an event ever has. */
  bodyOf: Map<string, string>
  /** When an operator began to add an endpoint. */
  addedAtMs: Map<string, number>
  /** Deliveries that the TTL removed, by name. */
  expired: Set<string>
  doubles: Map<DoubleCause, number>
  /** POSTs that were accepted, in all. */
  accepted: number
  /** Heartbeats that were accepted. */
  heartbeats: number
  posted(process: Process, of: DeliveryKey & { body: string }): Post | null
  acceptedBy(post: Post, of: DeliveryKey): void
}

export const createLedger = (scheduler: Scheduler): Ledger => {
  const stories = new Map<string, Story>()

  const storyOf = (key: DeliveryKey): Story => {
    const name = nameOfDelivery(key)
    const story = stories.get(name) ?? newStory({ endpointId: key.endpointId, eventId: key.eventId })
    stories.set(name, story)
    return story
  }

  const ledger: Ledger = {
    actor: null,
    stories,
    storyOf,
    loggedAt: new Map(),
    inLogSince: new Map(),
    seenAtStart: new Set(),
    recordedAtMs: new Map(),
    bodyOf: new Map(),
    addedAtMs: new Map(),
    expired: new Set(),
    doubles: new Map(),
    accepted: 0,
    heartbeats: 0,

    posted: (process, { endpointId, eventId, body }) => {
      const story = storyOf({ endpointId, eventId })
      const name = nameOfDelivery(story)
      const hand = process.inHand.get(name)
      // Invariant 2: all POSTs of an event to an endpoint carry the same id, and the bytes of one event.
      const known = ledger.bodyOf.get(eventId)
      if (known === undefined) ledger.bodyOf.set(eventId, body)
      else if (known !== body) scheduler.violate(`2: ${name} was POSTed with another body`)
      if (known === undefined && idIn(body) !== eventId) {
        scheduler.violate(`2: ${name} was POSTed with the body of ${idIn(body)}`)
      }
      if (hand === undefined || hand.read === null) {
        scheduler.violate(
          `2: ${name} was POSTed by ${process.id}, which had no message of it, or did not read it`,
        )
        return null
      }
      const { read, round } = hand
      // Only an operator's new round makes a delivered event be sent again.
      if ((read.state === 'delivered' || read.state === 'cancelled') && round <= read.round) {
        scheduler.violate(`2: ${name} was POSTed though it was read as ${read.state}`)
      }
      if (read.state === 'delivered') scheduler.violate(`2: ${name} was POSTed though it was delivered`)
      if (round > 1 && !story.begun.has(round) && !story.dead.has(round - 1)) {
        scheduler.violate(`2: ${name} was POSTed in round ${round}, which nobody began`)
      }
      const post: Post = {
        step: scheduler.steps,
        process,
        invocation: process.invocation,
        round,
        messageId: hand.messageId,
        readAt: read.step,
        atMs: scheduler.now(),
        leftFrozen: process.frozenUntilMs > scheduler.now(),
        isAccepted: false,
        isAnswered: false,
      }
      story.posts.push(post)
      return post
    },

    acceptedBy: (post, key) => {
      const story = storyOf(key)
      const before = story.posts.findLast(
        other => other !== post && other.isAccepted && other.round === post.round,
      )
      post.isAccepted = true
      ledger.accepted += 1
      if (before === undefined) return
      const why = whyAgain(story, before, post)
      scheduler.note(`${nameOfDelivery(key)} is POSTed again: ${why ?? 'UNEXPLAINED'}`)
      if (why === null) {
        scheduler.violate(
          `2: ${nameOfDelivery(key)} was POSTed again after step ${before.step}, and nothing explains it`,
        )
      } else ledger.doubles.set(why, (ledger.doubles.get(why) ?? 0) + 1)
    },
  }
  return ledger
}

const idIn = (body: string): string => /^\{"id":"([^"]+)"/.exec(body)?.[1] ?? 'nothing'
