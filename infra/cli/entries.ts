import { applyCommand } from './apply.ts'
import { auditCommand } from './audit.ts'
import type { Command, Noun } from './command.ts'
import { createCompletion } from './completion.ts'
import { deliveriesNoun } from './deliveries.ts'
import { dlqNoun } from './dlq.ts'
import { doctorCommand } from './doctor.ts'
import { endpointNoun } from './endpoint.ts'
import { eventsNoun } from './events.ts'
import { exportCommand } from './export.ts'
import { forgetCommand } from './forget.ts'
import { quarantineNoun } from './quarantine.ts'
import { recoverCommand } from './recover.ts'
import { sourceNoun } from './source.ts'
import { statusCommand } from './status.ts'

const doing: readonly (Noun | Command)[] = [
  statusCommand,
  doctorCommand,
  sourceNoun,
  endpointNoun,
  eventsNoun,
  deliveriesNoun,
  quarantineNoun,
  dlqNoun,
  recoverCommand,
  auditCommand,
  forgetCommand,
  applyCommand,
  exportCommand,
]

/** Everything that the command can do, in the order of its help. */
export const entries: readonly (Noun | Command)[] = [...doing, createCompletion(doing)]
