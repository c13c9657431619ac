import type { Context } from 'aws-lambda'
import { faultOf } from '../../domain/bridge-error.ts'
import type { Happening, Reporter } from '../../domain/happenings.ts'
import { measure } from './happening-metrics.ts'
import { fieldsOf, throwableOf } from './invocation-error.ts'
import { createLineLogger, type LogLevel, logHappening, type WriteLine } from './log-lines.ts'
import { createPublishMetrics } from './metric-blobs.ts'
import type { MetricKey } from './metric-names.ts'
import { createMetricSums } from './metric-sums.ts'

export type TelemetryOptions = {
  /** The stack's prefix: what its logs and metrics are told apart by. */
  service: string
  logLevel: LogLevel
  /** Where lines go, those of metrics too; by default to stdout, which Lambda takes to the log group. */
  write?: WriteLine
}

export type Handler<Event, Result> = (event: Event, context: Context) => Promise<Result>

export type AroundOptions = {
  /**
   * Gauges that stand at 0 after an invocation that ended well and had nothing to tell: a poller without a source has
   * no stream whose walks could be late, and an alarm takes missing data for a poller that doesn't run.
   */
  zeroWhenIdle?: readonly MetricKey[]
}

export type Telemetry = {
  /** Takes each happening to a log line and to the metrics of the invocation. */
  reporter: Reporter
  /**
   * A handler with its invocation told of: lines have its request id, metrics are published when it ends, and an
   * error that ends it is one line. Errors that are none of ours leave it as an `InvocationError`.
   */
  around<Event, Result>(handler: Handler<Event, Result>, options?: AroundOptions): Handler<Event, Result>
}

const writeToStdout: WriteLine = line => {
  process.stdout.write(`${line}\n`)
}

/**
 * The logs and metrics of a deployed function. A fault of its own never reaches the function, which does its work
 * all the same. One invocation runs at a time, as Lambda has it; what is told between two is counted with the second.
 */
export const createTelemetry = ({
  service,
  logLevel,
  write = writeToStdout,
}: TelemetryOptions): Telemetry => {
  const logger = createLineLogger({ service, logLevel, write })
  const publish = createPublishMetrics({ service, logger, write })
  const sums = createMetricSums()
  let told = 0

  const safely = (what: string, act: () => void): void => {
    try {
      act()
    } catch (error) {
      tellOwnFault(what, error)
    }
  }
  const tellOwnFault = (what: string, error: unknown): void => {
    try {
      logger.warn('telemetry_fault', { what, ...faultOf(error) })
    } catch {
      // Nothing can be written; Lambda's own metrics tell of the invocation.
    }
  }

  const report = (happening: Happening): void => {
    told += 1
    safely('metrics', () => measure(happening, sums))
    safely('line', () => logHappening(happening, logger))
  }

  const around: Telemetry['around'] =
    (handler, { zeroWhenIdle = [] } = {}) =>
    async (event, context) => {
      told = 0
      safely('context', () => logger.addContext(context))
      try {
        const result = await handler(event, context)
        if (told === 0) for (const key of zeroWhenIdle) sums.gauge(key, 0)
        return result
      } catch (error) {
        safely('line', () => logger.error('invocation_failed', fieldsOf(error)))
        throw throwableOf(error)
      } finally {
        safely('metrics', () => publish(sums.take()))
      }
    }

  return { reporter: { report }, around }
}
