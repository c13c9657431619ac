import type { Telemetry } from '../../../shared/adapters/telemetry/telemetry.ts'
import type { Lane } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { DeliveryStore, IndexEntry } from '../../../shared/domain/delivery/delivery-store.ts'
import type { Endpoint, SigningKey } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Service } from '../../unit/polling/world/service.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { PlannedEndpoint } from '../plan/draw-endpoint.ts'
import type { Moods } from '../plan/moods.ts'
import type { Plan } from '../plan/plan.ts'
import type { LeakRule } from '../rules/leaks.ts'
import type { Ledger } from '../rules/ledger.ts'
import type { Queues } from '../twins/queues.ts'
import type { Table } from '../twins/table.ts'
import type { Mistake } from './mistake.ts'

/** All that lies outside of the bridge's processes, and what they leave behind. */
export type World = {
  plan: Plan
  scheduler: Scheduler
  ledger: Ledger
  leaks: LeakRule
  telemetry: Telemetry
  /** Lines that were logged, those of metrics too. */
  lines: number
  table: Table
  queues: Queues
  services: ReadonlyMap<string, Service>
  /** The secret store. */
  secrets: Map<string, string>
  /** Also those that it lost: receivers know them still. */
  allSecrets: Map<string, string>
  putSecret(name: string, text: string): void
  noteKeys(endpointId: string, keys: readonly SigningKey[]): void
  /** An operator has this recipient forgotten; and whether a text is about one who was. */
  noteForgotten(address: string): void
  isForgotten(text: string): boolean
  /** Whether what signs for it is there. */
  hasSecrets(endpoint: Endpoint): boolean
  /** Heartbeats go on for ever: the end does without them. */
  wantsHeartbeats(): boolean
  /** An endpoint's keys, as its owner knows them. */
  keysOf(endpointId: string): readonly SigningKey[]
  moods: Map<string, Moods>
  /** Endpoints of whose disabling the operator was told, each time. */
  told: string[]
  /** An operator is about to add it. */
  noteAdded(planned: PlannedEndpoint): void
  /** Endpoints that an operator removed. */
  removed: Set<string>
  mistake: Mistake
  /** The sparse index: perhaps as it was some seconds ago. */
  dueOf(query: Parameters<DeliveryStore['due']>[0]): Promise<IndexEntry[]>
  /** Perhaps without those of the last seconds. */
  eventIdsOf(query: Parameters<DeliveryStore['eventIds']>[0]): Promise<Set<string>>
  /** Perhaps as they were some seconds ago. */
  listEndpoints(): Promise<Endpoint[]>
  /** A lane may have something to hand out. */
  notePumped(lane: Lane): void
  /** The poller has sent something: who means to empty a lane does so when there is something in it. */
  noteSent(): void
  /** Empties the lanes after the next sending. */
  armEmptying(): void
  /** Messages of dead letters that AWS's redrive put back, by delivery, with their round. */
  redriven: Map<string, number>
  newId(): string
  /** Events that the queue refuses, while it refuses any. */
  refused: ReadonlySet<string>
  /** The queue will not take a message of this event now. */
  isRefused(eventId: string): boolean
}
