import * as z from 'zod'
import type { SimulatorOptions } from './options.ts'

type FlagKind = 'text' | 'number' | 'time' | 'faults' | 'switch'
export type Flag = { flag: string; option: keyof SimulatorOptions; kind: FlagKind; text: string }

const flag = (text: string, name: string, option: Flag['option'], kind: FlagKind = 'text'): Flag => ({
  flag: name,
  option,
  kind,
  text,
})

/** Every flag that is an option of the simulator; where to listen and the file of records stand apart (main.ts). */
export const flags: readonly Flag[] = [
  flag('what last_id means: position or timelogged', '--last-id <reading>', 'lastId'),
  flag('order: honoured, ignored or ignored-on-complaints', '--order <reading>', 'order'),
  flag('order without the parameter: asc or desc', '--default-order <order>', 'defaultOrder'),
  flag('timelogged as s, ms, string or rfc3339', '--timelogged <reading>', 'timelogged'),
  flag('an unknown last_id brings 422, all or empty', '--unknown-last-id <reading>', 'unknownLastId'),
  flag('records a page without page_size', '--page-size <n>', 'pageSize', 'number'),
  flag('page_size: honoured or ignored', '--page-size-parameter <reading>', 'pageSizeParameter'),
  flag('next and previous by page or cursor', '--next <reading>', 'next'),
  flag('host that next and previous name', '--next-host <host:port>', 'nextHost'),
  flag('older records expire', '--retention <seconds>', 'retentionSeconds', 'number'),
  flag(
    'a share of the records becomes visible late, by up to this',
    '--late <seconds>',
    'lateSeconds',
    'number',
  ),
  flag('which share', '--late-share <share>', 'lateShare', 'number'),
  flag('every record becomes visible this much late', '--lag <seconds>', 'lagSeconds', 'number'),
  flag('so many successive records share one second', '--ties <n>', 'ties', 'number'),
  flag('records a second, of both lists together', '--rate <n>', 'rate', 'number'),
  flag('which share of them are complaints', '--complaint-share <share>', 'complaintShare', 'number'),
  flag('so many records come after the start, then none', '--count <n>', 'count', 'number'),
  flag('records that are there before the start', '--backlog <n>', 'backlog', 'number'),
  flag('the time over which they are spread', '--backlog-span <seconds>', 'backlogSpanSeconds', 'number'),
  flag('when the records begin to come; now unless given', '--start <time>', 'startMs', 'time'),
  flag('what the records are drawn from; random unless given', '--seed <n>', 'seed', 'number'),
  flag('records of --records keep their own times', '--keep-times', 'keepTimes', 'switch'),
  flag('requests a minute and key; 0 lifts the limit', '--rate-limit <n>', 'rateLimit', 'number'),
  flag('X-RateLimit-* on the lists: always or never', '--rate-limit-headers <reading>', 'rateLimitHeaders'),
  flag('X-RateLimit-Reset in seconds, or as unix time', '--reset <reading>', 'reset'),
  flag('e.g. 500:0.02,timeout:0.01,garbage:0.01', '--fault <name:share,…>', 'fault', 'faults'),
  flag('what comes before /bounces and /fbl', '--path-prefix <path>', 'pathPrefix'),
  flag('the API token', '--token <token>', 'token'),
  flag('the token of the contacts API; the same unless given', '--contacts-token <token>', 'contactsToken'),
  flag('X-API-Key on the lists: any takes it, token does not', '--auth <reading>', 'auth'),
  flag('the token has no profile: 403 on the lists, 401 on contacts', '--no-profile', 'profile', 'switch'),
  flag('errors as specified, detail, html or empty', '--error-body <reading>', 'errorBody'),
]

const isoTime = z.iso.datetime({ offset: true })

/** Text that is no number stays text, for the options' own check to refuse with the range that is right. */
const toNumber = (text: string): number | string => {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isNaN(number) ? text : number
}

const convert: Record<Exclude<FlagKind, 'switch'>, (text: string) => unknown> = {
  text: text => text,
  number: toNumber,
  time: text => (isoTime.safeParse(text).success ? Date.parse(text) : text),
  faults: text =>
    text.split(',').map(part => {
      const [name = '', share = ''] = part.trim().split(':')
      return { fault: toNumber(name), share: toNumber(share) }
    }),
}

/** The name by which commander hands out a flag's value. */
const attributeOf = (name: string): string =>
  nameOf(name)
    .replace(/^--(no-)?/, '')
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** `--last-id` of `--last-id <reading>`. */
const nameOf = (name: string): string => name.split(' ')[0] ?? name

/** The options that were given on the command line, converted where their text allows it. */
export const optionsFromFlags = (values: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const options: Record<string, unknown> = {}
  for (const { flag: name, option, kind } of flags) {
    const value = values[attributeOf(name)]
    if (kind === 'switch') {
      if (value !== undefined) options[option] = value
    } else if (typeof value === 'string') options[option] = convert[kind](value)
  }
  return options
}

/** How the command line calls an option. */
export const flagOfOption = (option: string): string => {
  const found = flags.find(candidate => candidate.option === option)
  return found === undefined ? `--${option}` : nameOf(found.flag)
}
