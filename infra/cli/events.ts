import { defineNoun } from './command.ts'
import { exportEvents } from './events/export.ts'
import { listEvents } from './events/list.ts'
import { showEvent } from './events/show.ts'
import { tailEvents } from './events/tail.ts'

/** What the service's records became. */
export const eventsNoun = defineNoun({
  name: 'events',
  summary: 'Events of the log, and what became of them',
  commands: [listEvents, showEvent, tailEvents, exportEvents],
})
