import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRecordGenerator } from '../../../infra/simulator/record-generator.ts'
import { createSchedule } from '../../../infra/simulator/schedule.ts'
import { parseNdjson, toTemplate } from '../../../infra/simulator/templates.ts'
import { sampleRows, startMs } from './simulator-fixtures.ts'

const schedule = createSchedule({
  seed: 1,
  startMs,
  backlog: 1_000_000,
  backlogSpanMs: 86_400_000,
  live: 0,
  ratePerSecond: 0,
  ties: 1,
  lagMs: 0,
  lateMs: 0,
  lateShare: 0,
})
const templates = sampleRows.map(toTemplate)
const generatorWith = (seed: number, changes: { own?: boolean; stream?: 'bounces' | 'complaints' } = {}) =>
  createRecordGenerator({ stream: 'bounces', seed, templates, schedule, own: false, ...changes })

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('generated records', () => {
  it('are the same for the same seed, and others for another seed or stream', () => {
    const ids = (generator: ReturnType<typeof generatorWith>) =>
      [0, 1, 2, 99_999].map(index => [generator.uuidOf(index), generator.templateOf(index).fields])
    expect(ids(generatorWith(5))).toEqual(ids(generatorWith(5)))
    expect(generatorWith(5).uuidOf(0)).not.toBe(generatorWith(6).uuidOf(0))
    expect(generatorWith(5).uuidOf(0)).not.toBe(generatorWith(5, { stream: 'complaints' }).uuidOf(0))
  })

  it('have UUIDs that differ and lead back to their record', () => {
    const generator = generatorWith(5)
    const ids = new Set<string>()
    for (let index = 0; index < 20_000; index += 1) {
      const uuid = generator.uuidOf(index)
      expect(uuid).toMatch(uuidForm)
      expect(generator.indexOf(uuid)).toBe(index)
      ids.add(uuid)
    }
    expect(ids.size).toBe(20_000)
  })

  it('do not know an id of another seed, of no record, or of no form', () => {
    const generator = generatorWith(5)
    fc.assert(fc.property(fc.uuid(), uuid => generator.indexOf(uuid) === null))
    expect(generator.indexOf(generatorWith(6).uuidOf(3))).toBeNull()
    expect(generator.indexOf(generator.uuidOf(schedule.total))).toBeNull()
    expect(generator.indexOf('nonsense')).toBeNull()
  })

  it('use every template equally often, without the notes that are no part of the API', () => {
    const generator = generatorWith(5)
    const seen = [0, 1, 2, 3, 4, 5].map(index => generator.templateOf(index))
    expect(new Set(seen).size).toBe(6)
    expect(seen.flatMap(({ fields }) => Object.keys(fields).filter(name => name.startsWith('_')))).toEqual([])
    expect(generator.templateOf(0)).toBe(generator.templateOf(6))
  })

  it('are counted without soft bounces as counting one by one does', () => {
    const generator = generatorWith(9)
    let hard = 0
    for (let index = 0; index < 40; index += 1) {
      expect(generator.hardBefore(index)).toBe(hard)
      if (generator.templateOf(index).hard) hard += 1
    }
  })

  it('come in the order of their file, with their own ids the first time round, when they are own records', () => {
    const own = [{ uuid: 'first' }, { uuid: 'second' }, { uuid: 'first' }].map(row => toTemplate(row))
    const generator = createRecordGenerator({
      stream: 'bounces',
      seed: 1,
      templates: own,
      schedule,
      own: true,
    })
    expect([0, 1].map(generator.uuidOf)).toEqual(['first', 'second'])
    for (const index of [2, 3, 4]) expect(generator.uuidOf(index)).toMatch(uuidForm)
    for (const index of [0, 1, 2, 3, 4]) expect(generator.indexOf(generator.uuidOf(index))).toBe(index)
  })
})

describe('a file of records', () => {
  it('is read line by line, and every line that is no object is named', () => {
    const read = parseNdjson('{"uuid":"a"}\n\n[1]\n{"uuid":\n{"rcpt":"\\ud83d"}\n')
    expect(read.rows).toEqual([{ uuid: 'a' }, { rcpt: '\ud83d' }])
    expect(read.problems).toEqual(['line 3 is not a JSON object', 'line 4 is not a JSON object'])
  })
})
