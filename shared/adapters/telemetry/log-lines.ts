import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger'
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types'
import type { Happening } from '../../domain/happenings.ts'

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'

/** Takes one line, without its line end. */
export type WriteLine = (line: string) => void

/** INFO for what is normal, WARN for what a person should look at, DEBUG for what an attempt's line says already. */
const levels = {
  poll_fault: 'warn',
  anchor_lost: 'warn',
  sweep_behind: 'warn',
  stream_state: 'info',
  // An event is traced from here, by its id.
  enqueued: 'info',
  quarantined: 'warn',
  // A failed one is the endpoint's matter until it is given up or the endpoint is disabled.
  attempt: 'info',
  delivered: 'debug',
  waiting: 'debug',
  held: 'info',
  dead: 'warn',
  cancelled: 'info',
  duplicate: 'info',
  fault: 'warn',
  unreadable_message: 'warn',
  endpoint_disabled: 'warn',
  operator_told: 'info',
  endpoint_lane: 'info',
  heartbeat: 'info',
  breaker: 'warn',
  released: 'info',
  reconciled: 'info',
  endpoint_backlog: 'info',
  backlog: 'info',
} as const satisfies Record<Exclude<Happening['kind'], 'poll'>, 'debug' | 'info' | 'warn'>

/** At which level a happening is told. */
export const levelOf = (happening: Happening): 'debug' | 'info' | 'warn' => {
  if (happening.kind === 'poll') return happening.outcome === 'failed' ? 'warn' : 'info'
  return levels[happening.kind]
}

/** Writes a happening as one line: its kind is the message, and its fields are the line's, by their names. */
export const logHappening = (happening: Happening, logger: Logger): void => {
  const { kind, ...fields } = happening
  logger[levelOf(happening)](kind, fields)
}

/** What Powertools puts into a line, without what the log group and the stack say of each line in it. */
class LineFormatter extends LogFormatter {
  override formatAttributes(known: UnformattedAttributes, fields: LogAttributes): LogItem {
    const attributes = {
      level: known.logLevel,
      message: known.message,
      timestamp: known.timestamp.toISOString(),
      service: known.serviceName,
      cold_start: known.lambdaContext?.coldStart,
      function_request_id: known.lambdaContext?.awsRequestId,
      ...fields,
    }
    return new LogItem({ attributes })
  }
}

/**
 * Powertools' logger, with lines to `write`. Fields that are null are left out of a line, as Powertools has it: what
 * is not there is null to a query of CloudWatch Logs Insights.
 */
export const createLineLogger = (of: { service: string; logLevel: LogLevel; write: WriteLine }): Logger => {
  // The base class's constructor may already print: so what this needs is in the closure, not in a field.
  class LineLogger extends Logger {
    protected override printLog(_level: number, item: LogItem): void {
      item.prepareForPrint()
      of.write(JSON.stringify(item.getAttributes(), this.getJsonReplacer()))
    }
  }
  return new LineLogger({
    serviceName: of.service,
    logLevel: of.logLevel,
    logFormatter: new LineFormatter(),
  })
}
