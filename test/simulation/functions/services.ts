import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import { streamNames } from '../../../shared/domain/source.ts'
import { createService, type Service } from '../../unit/polling/world/service.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Plan } from '../plan/plan.ts'
import { serviceRecordOf } from '../plan/records.ts'

/** Events of which the queue takes no message while it refuses any. */
export const refusedEvents = ({ sources }: Plan): ReadonlySet<string> =>
  new Set(
    sources.flatMap(({ source, records }) =>
      streamNames.flatMap(stream =>
        records[stream]
          .filter(({ isRefused }) => isRefused)
          .map(({ uuid, second }) => eventId({ sourceId: source.id, stream, uuid, second })),
      ),
    ),
  )

/** The service of each source, with all that it will ever show. */
export const createServices = (plan: Plan, scheduler: Scheduler): Map<string, Service> => {
  const services = new Map<string, Service>()
  for (const { source, readings, faults, records } of plan.sources) {
    const clock = scheduler.clockOf(null)
    const service = createService({ clock, dice: scheduler.dice, readings: { ...readings } })
    service.faults = faults
    for (const stream of streamNames) {
      service.put(
        stream,
        records[stream].map(record => serviceRecordOf(record, readings.timelogged)),
      )
    }
    services.set(source.id, service)
  }
  return services
}
