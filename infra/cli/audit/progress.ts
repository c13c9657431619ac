import type { AuditPart } from '../../../shared/domain/audit/audit-stream.ts'
import { showMoment } from '../output/moments.ts'
import type { Session } from '../session.ts'

/** Before this nobody wonders. */
const quietMs = 2_000
const redrawMs = 200

const partNames = {
  service: 'reading the service',
  deliveries: 'comparing deliveries',
} as const satisfies Record<AuditPart, string>

/** Tells how far an audit has come, on everything that takes over two seconds. */
export const createAuditProgress = ({ io, clock }: Pick<Session, 'io' | 'clock'>) => {
  const startedMs = clock.now()
  let drawnMs = startedMs
  return {
    at: (of: { name: string; part: AuditPart; second: number | null; requests: number }): void => {
      const nowMs = clock.now()
      if (nowMs - startedMs < quietMs || nowMs - drawnMs < redrawMs) return
      const where = of.second === null ? '' : `, at ${showMoment(of.second * 1_000)}`
      io.progress(
        `${of.name}: ${partNames[of.part]}${where} (${of.requests.toLocaleString('en-US')} requests) …`,
      )
      drawnMs = nowMs
    },
    end: (): void => io.progress(''),
  }
}
