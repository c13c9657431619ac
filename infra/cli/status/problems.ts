import { healthLines } from '../endpoint/health.ts'
import { showCount } from '../endpoint/render.ts'
import { showAge, showMomentAndAge } from '../output/moments.ts'
import type { EndpointStatus, SourceStatus, Status } from './read-status.ts'

/** Lines of problems on one screen. */
const problemsShownMax = 10
/** Of so many deliveries, fewer than this share succeeded: worth a line. */
const deliveriesToldMin = 10
const successShareTold = 0.9

/** What is not as it should be, in words, with what to do. */
export const problemsOf = (status: Status): string[] => {
  const { target, sources, endpoints, queues, nowMs } = status
  const lines = [
    ...(target.kind === 'local' && !target.isRunning
      ? [
          `No bridge runs on this folder: nothing is polled or delivered. npm start -- --data ${target.dataDir} starts one.`,
        ]
      : []),
    ...sources.flatMap(source => sourceProblems(source, nowMs)),
    ...endpoints.flatMap(endpoint => endpointProblems(endpoint, nowMs)),
    ...(queues ?? []).flatMap(({ name, depth }) =>
      depth.problem === null ? [] : [`The queue ${name} can't be read: ${depth.problem}`],
    ),
    ...failedRuns(status),
  ]
  const hidden = lines.length - problemsShownMax
  return hidden <= 0 ? lines : [...lines.slice(0, problemsShownMax), `… and ${hidden} more.`]
}

const sourceProblems = ({ source, found }: SourceStatus, nowMs: number): string[] => {
  if (found.value === null) return [`The source ${source.id} can't be read: ${found.problem}`]
  const { budget, streams } = found.value
  const waits = budget?.notBeforeMs ?? null
  return [
    ...streams.flatMap(({ stream, standing }) => {
      const { state, failingSinceMs } = standing
      const since = failingSinceMs === null ? '' : showMomentAndAge(failingSinceMs, nowMs)
      const ofStream = `${source.id}, ${stream}`
      if (state === 'failing')
        return [`${ofStream}: no walk has been complete since ${since}; bridge doctor tells why.`]
      if (state === 'stopped') return [`${ofStream}: the last run began ${since}; bridge doctor tells more.`]
      return state === 'behind' ? [`${ofStream}: a backlog is being read.`] : []
    }),
    ...(waits === null
      ? []
      : [`${source.id}: nothing is asked before the service's limit allows it, ${showAge(waits, nowMs)}.`]),
  ]
}

const endpointProblems = ({ endpoint, found }: EndpointStatus, nowMs: number): string[] => {
  const { id, state, stateReason } = endpoint
  if (found.value === null) return [`The endpoint ${id} can't be read: ${found.problem}`]
  const { held, dead } = found.value.deliveries
  const { deliveries, delivered } = found.value.success
  const fails = deliveries >= deliveriesToldMin && delivered < deliveries * successShareTold
  const reason = stateReason === null || stateReason === 'endpoint_disabled' ? '' : ` (${stateReason})`
  return [
    ...(state === 'disabled' ? [`${id}: is disabled${reason}; bridge endpoint enable ${id} ends that.`] : []),
    ...(state === 'active' ? healthLines(endpoint, nowMs).map(line => `${id}: ${line}.`) : []),
    ...(state === 'active' && held.count > 0
      ? [`${id}: ${showCount(held)} held; bridge endpoint show ${id} tells more.`]
      : []),
    ...(fails
      ? [
          `${id}: of the last ${deliveries} deliveries ${delivered} succeeded; bridge deliveries list --endpoint ${id} tells why.`,
        ]
      : []),
    ...(dead.count > 0
      ? [`${id}: ${showCount(dead)} dead; bridge dlq list --endpoint ${id} shows them.`]
      : []),
  ]
}

const failedRuns = ({ queues }: Status): string[] => {
  const failed = queues?.find(({ name }) => name === 'failed-runs')?.depth.value ?? null
  return failed === null || failed.ready === 0 ? [] : ['Scheduled runs could not be started: see RUNBOOK.md.']
}
