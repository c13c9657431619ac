import { type Recovered, sumOf } from '../../../shared/domain/replay/recover.ts'
import type { LeftOut } from '../../../shared/domain/replay/recover-rules.ts'
import { isoOfSecond, isoOrNull, showAge } from '../output/moments.ts'
import { counted } from '../output/texts.ts'
import { type Session, show } from '../session.ts'
import type { RecoverWork } from './run-recover.ts'

/** `12 events`, and what they were where that is not one kind. */
export const setOf = ({ set }: Pick<Recovered, 'set'>): string => {
  const kinds = Object.entries(set).filter(([, count]) => count > 0)
  const parts = kinds.map(([kind, count]) => `${count.toLocaleString('en-US')} ${kind}`).join(', ')
  return `${counted(sumOf(set), 'event')}${parts === '' ? '' : ` (${parts})`}`
}

const leftTexts: Readonly<Record<LeftOut | 'movedOn', string>> = {
  unwanted: "left out by the endpoint's types and filters",
  unsettled: 'waiting or held: they go out by themselves',
  onItsWay: 'logged within the hour, and on their way for the first time',
  seenAtStart: "of their stream's first second, which counts as sent",
  notAsked: 'none of those that --only asks for',
  since: 'settled since the recover began',
  expired: 'past their life',
  forgotten: 'forgotten: there is nothing to send any more',
  movedOn: 'changed by the bridge meanwhile',
}

const isLeft = (name: string): name is keyof typeof leftTexts => Object.hasOwn(leftTexts, name)

type Shown = RecoverWork & { goesOn: boolean }

export const showRecovered = (session: Session, of: Recovered, work: Shown): void =>
  show(session, {
    json: () => ({
      endpoint: work.endpoint.id,
      only: work.only,
      dryRun: work.isDryRun,
      from: isoOfSecond(work.plan.fromSecond),
      to: isoOfSecond(work.plan.toSecond),
      wentOn: work.goesOn,
      looked: of.looked,
      set: of.set,
      left: of.left,
      rate: work.ratePerSecond,
      lastDueAt: isoOrNull(of.lastDueMs === null ? null : Math.round(of.lastDueMs)),
    }),
    text: ({ colors }) => {
      const lines = Object.entries(of.left).flatMap(([name, count]) =>
        count === 0 || !isLeft(name)
          ? []
          : [colors.dim(`  ${count.toLocaleString('en-US')} left: ${leftTexts[name]}`)],
      )
      return [headline(session, of, work), ...lines].join('\n')
    },
  })

const headline = (
  { clock, io: { look } }: Session,
  of: Recovered,
  { endpoint, isDryRun, ratePerSecond }: Shown,
): string => {
  const looked = `${counted(of.looked, 'event')} of the log looked at`
  if (of.lastDueMs === null) return `There is nothing to recover for ${endpoint.id}; ${looked}.`
  const nowMs = clock.now()
  const ends = showAge(Math.max(of.lastDueMs, nowMs + 1), nowMs)
  return isDryRun
    ? `${setOf(of)} would go to ${endpoint.id}, ${ratePerSecond} a second, the last ${ends}; ${looked}. Nothing was done.`
    : `${look.colors.green('Recovered')} ${setOf(of)} for ${endpoint.id}. They go out at ${ratePerSecond} a second, the last ${ends}; ${looked}.`
}
