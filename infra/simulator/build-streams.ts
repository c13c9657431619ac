import type { StreamName } from '../../shared/domain/source.ts'
import type { RecordToAdd } from './added-records.ts'
import type { SimulatorOptions } from './options.ts'
import { createRecordGenerator, streamSeed } from './record-generator.ts'
import { createSchedule } from './schedule.ts'
import { createStreamRecords, type StreamRecords } from './stream-records.ts'
import { type Row, readRealRecords, streamOfRow, type Template, toTemplate } from './templates.ts'

type Templates = Record<StreamName, readonly Template[]>

/** The share of complaints among generated records where nothing says otherwise; ten real ones would be too few. */
const complaintShareDefault = 0.1

const byStream = (rows: readonly Row[]): Templates => {
  const of = (stream: StreamName) => rows.filter(row => streamOfRow(row) === stream).map(toTemplate)
  return { bounces: of('bounces'), complaints: of('complaints') }
}

const chooseTemplates = (options: SimulatorOptions): Templates => {
  if (options.records !== null) return options.keepTimes ? byStream([]) : byStream(options.records)
  return options.rate > 0 || options.backlog > 0 ? readRealRecords() : byStream([])
}

const shareOfComplaints = (options: SimulatorOptions, templates: Templates): number => {
  const { bounces, complaints } = templates
  if (complaints.length === 0) return 0
  if (bounces.length === 0) return 1
  if (options.complaintShare !== null) return options.complaintShare
  return options.records === null
    ? complaintShareDefault
    : complaints.length / (bounces.length + complaints.length)
}

/** Both lists as the options describe them; `startMs` is where the live records begin. */
export const buildStreams = (
  options: SimulatorOptions,
  startMs: number,
): Record<StreamName, StreamRecords> => {
  const templates = chooseTemplates(options)
  const complaintShare = shareOfComplaints(options, templates)

  const build = (stream: StreamName): StreamRecords => {
    const share = stream === 'complaints' ? complaintShare : 1 - complaintShare
    const part = (whole: number): number => {
      const complaints = Math.round(whole * complaintShare)
      return stream === 'complaints' ? complaints : whole - complaints
    }
    const own = options.records !== null
    const isEmpty = templates[stream].length === 0
    const backlog = isEmpty ? 0 : part(options.backlog)
    const wholeFile = own ? Math.max(0, templates[stream].length - backlog) : Number.POSITIVE_INFINITY
    const schedule = createSchedule({
      seed: streamSeed(options.seed, stream),
      startMs,
      backlog,
      backlogSpanMs: options.backlogSpanSeconds * 1000,
      live: options.count === null ? wholeFile : part(options.count),
      ratePerSecond: isEmpty ? 0 : options.rate * share,
      ties: options.ties,
      lagMs: options.lagSeconds * 1000,
      lateMs: options.lateSeconds * 1000,
      lateShare: options.lateShare,
    })
    const generator = createRecordGenerator({
      stream,
      seed: options.seed,
      templates: templates[stream],
      schedule,
      own,
    })
    return createStreamRecords(stream, generator)
  }

  const streams = { bounces: build('bounces'), complaints: build('complaints') }
  if (options.keepTimes) addWithTheirTimes(streams, options, startMs)
  return streams
}

/** Shows own records at their own times, in the unit they have; one without a usable time stands at the start. */
const addWithTheirTimes = (
  streams: Record<StreamName, StreamRecords>,
  options: SimulatorOptions,
  startMs: number,
): void => {
  for (const [at, row] of (options.records ?? []).entries()) {
    const { fields, uuid, timelogged } = toTemplate(row)
    const ownSecond = secondOf(timelogged)
    const second = ownSecond ?? Math.floor(startMs / 1000)
    const record: RecordToAdd = {
      uuid: uuid ?? `row-${at + 1}`,
      second,
      visibleAtMs: (second + options.lagSeconds) * 1000,
      fields: ownSecond === null && timelogged !== undefined ? { timelogged, ...fields } : fields,
    }
    streams[streamOfRow(row)].add([record], startMs)
  }
}

/** By magnitude, as the field notes have it: 1e11 and above is milliseconds. */
const millisecondsFrom = 1e11

const secondOf = (timelogged: unknown): number | null => {
  const isDigits = typeof timelogged === 'string' && /^\d+$/.test(timelogged)
  const time = typeof timelogged === 'number' || isDigits ? Number(timelogged) : Number.NaN
  if (Number.isFinite(time)) return Math.floor(Math.abs(time) >= millisecondsFrom ? time / 1000 : time)
  const parsedMs = typeof timelogged === 'string' ? Date.parse(timelogged) : Number.NaN
  return Number.isNaN(parsedMs) ? null : Math.floor(parsedMs / 1000)
}
