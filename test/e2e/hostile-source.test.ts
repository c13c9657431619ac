import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, expect } from 'vitest'
import { expectExactly, expectLinesMatch } from './harness/checks.ts'
import { expectedEventId, expectedSourceId } from './harness/ids.ts'
import { closed, listen } from './harness/receiver.ts'
import { nowSecond, recordsAt, recordsUntil } from './harness/records.ts'
import { type BridgeOf, idsOf, test, type World } from './harness/world.ts'

const settled = async (world: World, of: BridgeOf) => {
  const bridge = world.bridge({ ...of, flags: { once: true, ...of.flags } })
  expect(await bridge.ended()).toEqual({ code: 0, signal: null })
  return bridge
}

/** Records whose text no JSON library writes, each with its uuid. */
const oddTexts = (second: number): { uuid: string; second: number; json: string }[] => {
  const odd = (write: (uuid: string) => string) => {
    const uuid = randomUUID()
    return { uuid, second, json: write(uuid) }
  }
  return [
    odd(
      uuid =>
        `{"uuid":"${uuid}","timelogged":${second},"bounce_type":"h","dsndiag":"smtp; 550 5.1.1 почтовый ящик не найден · 信箱不存在 · صندوق"}`,
    ),
    odd(
      uuid =>
        `{"uuid":"${uuid}","timelogged":${second},"bounce_type":"h","header_from":"\u{1f4e8} Нов\\u043eсти <news@example.org>","x":"\u{1f469}\u200d\u{1f4bb}"}`,
    ),
    odd(
      uuid =>
        `{"uuid":"${uuid}","timelogged":${second},"bounce_type":"h","dsndiag":"\\ud83d alone \\ude00, pair \\ud83d\\ude00, nul \\u0000, del \\u007f, ffff \\uffff"}`,
    ),
    odd(
      uuid =>
        `{"uuid":"${uuid}","timelogged":${second},"bounce_type":"h","big":9007199254740993,"bigger":12345678901234567890123456789,"exact":1.10,"small":1e-400}`,
    ),
    odd(
      uuid =>
        `{"uuid":"${uuid}","timelogged":${second},"bounce_type":"h","twice":1,"twice":2,"extra_fields":{"a":1,"a":2}}`,
    ),
    odd(
      uuid =>
        `{ "uuid" : "${uuid}" ,\n\t"timelogged": ${second}, "bounce_type":"h","rcpt":null,"orig":"<>","header_from":"" }`,
    ),
    odd(
      uuid =>
        `{"uuid":"${uuid}","timelogged":"${second}.75","bounce_type":"h","__proto__":{"x":1},"constructor":"c"}`,
    ),
  ]
}

describe.concurrent('a source that is not as one would wish', () => {
  test('a next on another origin is followed on our own: nobody else is asked, and nobody gets the token', async ({
    world,
  }) => {
    const requests: string[] = []
    const other = createServer((request, response) => {
      requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"count":0,"next":null,"previous":null,"results":[]}')
    })
    const port = await listen(other)
    world.defer(() => closed(other))
    const nextHost = `127.0.0.1:${port}`
    const simulator = await world.simulator({ nextHost, pageSize: 4, order: 'ignored-on-complaints' })
    // One second of many pages, and an order that is ignored: both are read by next alone.
    simulator.add('bounces', recordsAt(nowSecond() - 100, 30))
    simulator.add('complaints', recordsUntil(nowSecond() - 100, 10, 3))
    const receiver = await world.receiver()
    const bridge = await settled(world, { simulator, receivers: [receiver], dataDir: await world.dataDir() })
    expectExactly(receiver, idsOf(simulator))
    expect(simulator.requests.filter(({ query }) => /(^|&)page=/.test(query)).length).toBeGreaterThan(10)
    expectLinesMatch(bridge, [receiver])
    expect(requests).toEqual([])
  })

  test('other scripts, emoji, lone surrogates, large numbers and repeated keys arrive letter by letter', async ({
    world,
  }) => {
    const simulator = await world.simulator({ pageSize: 3 })
    const records = oddTexts(nowSecond() - 100)
    simulator.add('bounces', records)
    const receiver = await world.receiver()
    await settled(world, { simulator, receivers: [receiver], dataDir: await world.dataDir() })
    expectExactly(receiver, idsOf(simulator))
    for (const { uuid, json } of records) {
      const post = receiver.posts.find(({ event }) => event.data.source.record_id === uuid)
      expect(post?.body.slice(-json.length - 3)).toBe(`:${json}}}`)
    }
    const lone = receiver.posts.find(({ body }) => body.includes('alone'))
    expect(lone?.event.data['bounce']).toMatchObject({
      diagnostic: '\ud83d alone \ude00, pair \u{1f600}, nul \u0000, del \u007f, ffff \uffff',
    })
  })

  test('a record is found again, and not sent twice, when it waits for its retry in other scripts', async ({
    world,
  }) => {
    const simulator = await world.simulator()
    simulator.add('bounces', oddTexts(nowSecond() - 100))
    const receiver = await world.receiver()
    receiver.setAnswer(({ nth }) => (nth === 1 ? 500 : 200))
    const of = { simulator, receivers: [receiver], dataDir: await world.dataDir() }
    const bridge = world.bridge({ ...of, flags: { 'retry-schedule': '300ms,1s' } })
    await world.change.until('all are delivered', () => bridge.of('delivered').length === 7)
    await bridge.stop()
    const ids = idsOf(simulator)
    expect(receiver.ids()).toEqual([...ids, ...ids].sort())
    // What is signed and sent is the same each time.
    for (const id of ids) {
      expect(new Set(receiver.posts.filter(post => post.id === id).map(({ body }) => body)).size).toBe(1)
    }
  })

  test('what is no record is quarantined once, with its reason, and the stream goes on', async ({
    world,
  }) => {
    const simulator = await world.simulator({ pageSize: 3 })
    const second = nowSecond() - 100
    const unreadable = [
      ['not_an_object', '"a string"'],
      ['not_an_object', '[1,2]'],
      ['not_an_object', 'null'],
      ['no_uuid', `{"timelogged":${second},"rcpt":"somebody@example.com"}`],
      ['no_uuid', `{"uuid":17,"timelogged":${second},"rcpt":"somebody@example.com"}`],
      ['no_usable_time', '{"uuid":"44444444-4444-4444-8444-444444444444","rcpt":"somebody@example.com"}'],
      ['no_usable_time', '{"uuid":"55555555-5555-4555-8555-555555555555","timelogged":0}'],
      ['no_usable_time', '{"uuid":"66666666-6666-4666-8666-666666666666","timelogged":"yesterday"}'],
      [
        'too_large',
        `{"uuid":"77777777-7777-4777-8777-777777777777","timelogged":${second},"x":"${'y'.repeat(205 * 1024)}"}`,
      ],
    ] as const
    const added = unreadable.map(([, json]) => ({ uuid: randomUUID(), second, json }))
    simulator.add('bounces', recordsUntil(second - 1, 5))
    simulator.add('bounces', added)
    const large = { uuid: randomUUID(), second, fields: { bounce_type: 'h', x: 'z'.repeat(190 * 1024) } }
    simulator.add('bounces', [...recordsAt(second, 4), large, ...recordsUntil(second + 5, 5)])
    const receiver = await world.receiver()
    const of = { simulator, receivers: [receiver], dataDir: await world.dataDir() }
    const bridge = await settled(world, { ...of, flags: { overlap: '300' } })

    const addedUuids = new Set<string>(added.map(({ uuid }) => uuid))
    const readable = idsOf(simulator, { only: ({ uuid }) => !addedUuids.has(uuid) })
    expect(readable.length).toBe(5 + 4 + 1 + 5)
    expectExactly(receiver, readable)
    expect(
      bridge
        .of('quarantined')
        .map(({ reason }) => reason)
        .sort(),
    ).toEqual(unreadable.map(([reason]) => reason).sort())
    // Within the overlap they are read again by the next start, and are not news then.
    simulator.add('bounces', recordsAt(second + 6, 2))
    const again = await settled(world, { ...of, flags: { overlap: '300' } })
    expect(again.of('quarantined')).toEqual([])
    expectExactly(receiver, idsOf(simulator, { only: ({ uuid }) => !addedUuids.has(uuid) }))
  })

  test('a list that leads in a circle does not keep what it shows', async ({ world }) => {
    const simulator = await world.simulator({ pageSize: 5, order: 'ignored' })
    simulator.add('bounces', recordsUntil(nowSecond() - 100, 5))
    simulator.setIntercept((request, answer) => {
      if (!request.path.endsWith('/bounces')) return undefined
      const page: { next: unknown } = JSON.parse(answer.body)
      return { body: JSON.stringify({ ...page, next: `${simulator.url}${request.path}?page=1` }) }
    })
    const receiver = await world.receiver()
    const bridge = world.bridge({ simulator, receivers: [receiver], dataDir: await world.dataDir() })
    await world.change.until('it is told', () => /page_does_not_advance/.test(bridge.stderr()))
    await world.change.until('all arrived', () => receiver.posts.length === 5)
    await bridge.stop()
    expectExactly(receiver, idsOf(simulator))
  })

  test('ids are those of the design: of source, stream, uuid and second alone', async ({ world }) => {
    const simulator = await world.simulator()
    const [record] = recordsAt(1_763_631_000, 1)
    if (record === undefined) throw new Error('no record')
    simulator.add('complaints', [record])
    const receiver = await world.receiver()
    await settled(world, { simulator, receivers: [receiver], dataDir: await world.dataDir() })
    const source = expectedSourceId(simulator.url, '/api/v2')
    const id = expectedEventId({ source, stream: 'complaints', uuid: record.uuid, second: record.second })
    expect(receiver.ids()).toEqual([id])
    expect(receiver.posts[0]?.event).toMatchObject({
      id,
      type: 'email.complaint',
      timestamp: '2025-11-20T09:30:00.000Z',
      data: { source: { id: source, stream: 'complaints', record_id: record.uuid } },
    })
  })
})
