import type { StreamName } from '../../shared/domain/source.ts'
import { hash } from './hash.ts'
import type { Schedule } from './schedule.ts'
import type { Template } from './templates.ts'

/** The records of a stream that nobody wrote down: each is a function of seed and index. */
export type RecordGenerator = {
  schedule: Schedule
  uuidOf(index: number): string
  /** The index of a record by its id, or null where it is none of ours. */
  indexOf(uuid: string): number | null
  templateOf(index: number): Template
  /** How many records below the index are listed without `include_soft`. */
  hardBefore(index: number): number
}

const hex = (word: number, digits: number): string => word.toString(16).padStart(digits, '0')

/** A UUID of version 4 in form, whose last 32 bits hold the index under a mask made of its first 48. */
const toUuid = (seed: number, index: number): string => {
  const head = hash(seed, 'id', index)
  const rest = hash(seed, 'idRest', index)
  const masked = (index ^ maskOf(seed, head)) >>> 0
  const variant = hex(8 + (rest & 3), 1)
  return `${hex(head, 8)}-${hex(rest >>> 16, 4)}-4${hex((rest >>> 4) & 0xfff, 3)}-${variant}${hex(head & 0xfff, 3)}-${hex(rest & 0xffff, 4)}${hex(masked, 8)}`
}

const maskOf = (seed: number, head: number): number => hash(seed, 'idMask', head)

const indexInUuid = (seed: number, uuid: string): number | null => {
  const head = Number.parseInt(uuid.slice(0, 8), 16)
  const masked = Number.parseInt(uuid.slice(28), 16)
  if (Number.isNaN(head) || Number.isNaN(masked)) return null
  const index = (masked ^ maskOf(seed, head)) >>> 0
  return toUuid(seed, index) === uuid ? index : null
}

/** Fisher and Yates, with draws from the seed. */
const shuffled = <T>(values: readonly T[], seed: number): T[] => {
  const left = [...values]
  const result: T[] = []
  while (left.length > 0) result.push(...left.splice(hash(seed, 'shuffle', left.length) % left.length, 1))
  return result
}

export type GeneratorOptions = {
  stream: StreamName
  seed: number
  templates: readonly Template[]
  schedule: Schedule
  /** Own records come in the order of their file, and the first time round with their own ids. */
  own: boolean
}

/** The seed of one stream: the two draw independently. */
export const streamSeed = (seed: number, stream: StreamName): number => hash(seed, stream, 0)

export const createRecordGenerator = (options: GeneratorOptions): RecordGenerator => {
  const { schedule, own } = options
  const seed = streamSeed(options.seed, options.stream)
  const templates = own ? options.templates : shuffled(options.templates, seed)
  const cycle = templates.length

  const ownIndexes = new Map<string, number>()
  if (own) {
    for (const [index, { uuid }] of templates.entries()) {
      if (uuid !== null && !ownIndexes.has(uuid)) ownIndexes.set(uuid, index)
    }
  }
  const hardSums = [0]
  for (const { hard } of templates) hardSums.push((hardSums.at(-1) ?? 0) + (hard ? 1 : 0))

  const templateOf = (index: number): Template => {
    const template = templates[index % cycle]
    if (template === undefined) throw new RangeError(`no template for record ${index}`)
    return template
  }
  const uuidOf = (index: number): string => {
    const uuid = own && index < cycle ? templateOf(index).uuid : null
    return uuid !== null && ownIndexes.get(uuid) === index ? uuid : toUuid(seed, index)
  }

  return {
    schedule,
    uuidOf,
    indexOf: uuid => {
      const index = ownIndexes.get(uuid) ?? indexInUuid(seed, uuid)
      return index !== null && index < schedule.total && uuidOf(index) === uuid ? index : null
    },
    templateOf,
    hardBefore: index =>
      cycle === 0 ? 0 : Math.floor(index / cycle) * (hardSums[cycle] ?? 0) + (hardSums[index % cycle] ?? 0),
  }
}
