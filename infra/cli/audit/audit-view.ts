import type { StreamAudit } from '../../../shared/domain/audit/audit-stream.ts'
import type { Source, StreamName } from '../../../shared/domain/source.ts'
import { isoOfSecond } from '../output/moments.ts'

/** A stream with what its audit found. */
export type AuditView = { source: Source; stream: StreamName; requests: number; audit: StreamAudit }

/** Whether anything is missing still, or could not be compared. */
export const isAmiss = ({ audit }: AuditView): boolean => {
  if (audit.kind === 'not_started') return false
  const { records, log, walk } = audit
  return walk.kind === 'unreadable' || records.missing > records.repaired || log.missing > log.repaired
}

/** What `--json` shows of an audited stream: documented in infra/cli/README.md, and only ever added to. */
export const auditJson = (view: AuditView) => {
  const { source, stream, requests, audit } = view
  const of = { source: source.id, stream, requests, matches: !isAmiss(view) }
  if (audit.kind === 'not_started') return { ...of, result: 'not_started' }
  const { walk, records, log } = audit
  return {
    ...of,
    result: walk.kind === 'walked' ? 'compared' : 'service_unreadable',
    ...(walk.kind === 'unreadable' && { reason: walk.reason, status: walk.status, hint: walk.hint }),
    from: isoOfSecond(audit.fromSecond),
    until: isoOfSecond(audit.untilSecond),
    records,
    missingRecords: audit.missing.map(({ second, ...missing }) => ({
      ...missing,
      time: isoOfSecond(second),
    })),
    events: log.events,
    notAtService: log.notAtService,
    endpoints: [...log.endpoints].map(([endpoint, { not_due: notDue, ...counts }]) => ({
      endpoint,
      ...counts,
      notDue,
    })),
    missingDeliveries: log.missing,
    repairedDeliveries: log.repaired,
    namedDeliveries: log.named.map(({ eventId, endpointId, repaired }) => ({
      event: eventId,
      endpoint: endpointId,
      repaired,
    })),
  }
}
