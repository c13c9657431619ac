import { defineNoun } from './command.ts'
import { dropQuarantined } from './quarantine/drop.ts'
import { listQuarantine } from './quarantine/list.ts'
import { retryQuarantined } from './quarantine/retry.ts'
import { showQuarantined } from './quarantine/show.ts'

/** Records of the service that could not become events, kept as they came. */
export const quarantineNoun = defineNoun({
  name: 'quarantine',
  summary: 'Records that could not become events, kept as they came',
  commands: [listQuarantine, showQuarantined, retryQuarantined, dropQuarantined],
})
