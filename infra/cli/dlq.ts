import { defineNoun } from './command.ts'
import { listDeadLetters } from './dlq/list.ts'
import { purgeDeadLetters } from './dlq/purge.ts'
import { replayDeadLetters } from './dlq/replay.ts'
import { showDeadLetter } from './dlq/show.ts'

/** Deliveries given up. */
export const dlqNoun = defineNoun({
  name: 'dlq',
  summary: 'Dead letters: deliveries given up',
  commands: [listDeadLetters, showDeadLetter, replayDeadLetters, purgeDeadLetters],
})
