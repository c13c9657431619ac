import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { eventSchemas, publishedSchemas } from '../../../shared/domain/event/event-schemas.ts'
import { eventTypes } from '../../../shared/domain/event/event-types.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { FeedbackRecord } from '../../../shared/domain/feedback/record.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import { realRecords, recordWith } from './real-records.ts'

const folder = new URL('../../../shared/domain/event/schemas/', import.meta.url)
const published = (type: string): unknown => JSON.parse(readFileSync(new URL(`${type}.json`, folder), 'utf8'))

const eventOf = (record: FeedbackRecord, stream: StreamName) =>
  buildEvent({ source: { id: 'main' }, stream, record })
const realEvents = streamNames.flatMap(stream =>
  realRecords(stream).flatMap(raw => {
    const read = readRecord(raw)
    return read.kind === 'record' ? [eventOf(read.record, stream)] : []
  }),
)
const emptyEvents = ['h', 's', 'e', 'o', null].map(bounce_type =>
  eventOf(recordWith({ bounce_type }), 'bounces'),
)
const events = [...realEvents, ...emptyEvents, eventOf(recordWith({}), 'complaints')]

const ajv = new Ajv2020({ allErrors: true, strict: true })
const validators = new Map(eventTypes.map(type => [type, ajv.compile(Object(published(type)))]))
const problemsOf = (type: (typeof eventTypes)[number], event: unknown) => {
  const validate = validators.get(type)
  return validate?.(event) === true ? [] : [validate?.errors]
}

describe('the published JSON Schemas', () => {
  it('are one a type, and up to date (else: node test/unit/event/write-schemas.ts, then npm run format)', () => {
    expect(readdirSync(folder).sort()).toEqual(eventTypes.map(type => `${type}.json`).sort())
    for (const { type, schema } of publishedSchemas()) expect(published(type), type).toEqual(schema)
  })

  it('are met by every event of the real records, and by events of records that say nothing', () => {
    expect(realEvents).toHaveLength(235)
    expect(events.flatMap(({ type, body }) => problemsOf(type, JSON.parse(body)))).toEqual([])
    expect(
      events.map(({ type, body }) => eventSchemas[type].safeParse(JSON.parse(body)).success),
    ).not.toContain(false)
  })

  it('are each met by some event here, but for those of no record', () => {
    const met = new Set<string>(events.map(({ type }) => type))
    expect(eventTypes.filter(type => !met.has(type))).toEqual(['webhook.test', 'webhook.heartbeat'])
  })

  it('let a key be added anywhere', () => {
    const added = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, added(member)])
      return Object.fromEntries([...members, ['added', 1]])
    }
    expect(events.flatMap(({ type, body }) => problemsOf(type, added(JSON.parse(body))))).toEqual([])
  })

  it('are not met where a key is missing', () => {
    const without = (value: unknown, path: readonly string[]): unknown => {
      const [key, ...rest] = path
      const members = Object.entries(Object(value)).filter(([name]) => rest.length > 0 || name !== key)
      return Object.fromEntries(
        members.map(([name, member]) => [name, name === key ? without(member, rest) : member]),
      )
    }
    const paths = [
      ['id'],
      ['timestamp'],
      ['data'],
      ['data', 'raw'],
      ['data', 'bounce', 'enhanced_code'],
      ['data', 'sender', 'envelope_from'],
    ]
    const event: unknown = JSON.parse(eventOf(recordWith({ bounce_type: 'h' }), 'bounces').body)
    for (const path of paths)
      expect(problemsOf('email.bounce.hard', without(event, path)), path.join('.')).toHaveLength(1)
    expect(problemsOf('email.bounce.soft', event)).toHaveLength(1)
  })
})
