import type { AuditPart } from '../../../shared/domain/audit/audit-stream.ts'
import { showMoment } from '../output/moments.ts'
import { createProgress } from '../output/progress.ts'
import type { Session } from '../session.ts'

const partNames = {
  service: 'reading the service',
  deliveries: 'comparing deliveries',
} as const satisfies Record<AuditPart, string>

/** Tells how far an audit has come. */
export const createAuditProgress = (session: Pick<Session, 'io' | 'clock'>) => {
  const progress = createProgress(session)
  return {
    at: (of: { name: string; part: AuditPart; second: number | null; requests: number }): void => {
      const where = of.second === null ? '' : `, at ${showMoment(of.second * 1_000)}`
      const requests = `${of.requests.toLocaleString('en-US')} requests`
      progress.at(null, `${of.name}: ${partNames[of.part]}${where} (${requests}) …`)
    },
    end: progress.end,
  }
}
