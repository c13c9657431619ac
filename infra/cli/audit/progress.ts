import type { AuditProgress } from '../../../shared/domain/audit/audit-stream.ts'
import { showDuration } from '../../local/durations.ts'
import { showMoment } from '../output/moments.ts'
import { createProgress } from '../output/progress.ts'
import type { Session } from '../session.ts'

const partNames = { service: 'reading the service', deliveries: 'comparing deliveries' } as const

/** Tells how far an audit has come, or what it waits for. */
export const createAuditProgress = (session: Pick<Session, 'io' | 'clock'>) => {
  const progress = createProgress(session)
  return {
    at: (of: { name: string; requests: number } & AuditProgress): void => {
      const requests = `${of.requests.toLocaleString('en-US')} requests`
      progress.at(null, `${of.name}: ${doing(of)} (${requests}) …`)
    },
    end: progress.end,
  }
}

const doing = (at: AuditProgress): string => {
  if (at.part !== 'failure') {
    const where = at.second === null ? '' : `, at ${showMoment(at.second * 1_000)}`
    return `${partNames[at.part]}${where}`
  }
  const failed = `the service can't be read (${at.reason}), failure ${at.failures} of ${at.failuresMax}`
  return `${failed}; asked again in ${showDuration(at.waitMs)}`
}
