import { defineNoun } from './command.ts'
import { listDeliveries } from './deliveries/list.ts'
import { retryDelivery } from './deliveries/retry.ts'
import { showDelivery } from './deliveries/show.ts'

/** One event to one endpoint. */
export const deliveriesNoun = defineNoun({
  name: 'deliveries',
  summary: 'Deliveries: one event to one endpoint each',
  commands: [listDeliveries, showDelivery, retryDelivery],
})
