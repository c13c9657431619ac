import { describe, expect, test } from 'vitest'
import { jsonOf } from './bridge-command.ts'
import { deliveryOf, endpointOf, loggedEvent } from './filled-table.ts'
import { bounce, complaint, hard, holdLog, nowSecond } from './sample-events.ts'

const elsewhere = loggedEvent({ second: nowSecond - 200_000, uuid: 'o', sourceId: 'other', endpointIds: [] })
const removed = loggedEvent({ second: nowSecond - 60, uuid: 'r', sourceId: 'gone', fields: hard })
const future = loggedEvent({ second: nowSecond + 600, uuid: 'f', endpointIds: ['shop'] })

describe('bridge events list', () => {
  test('finds events by time, source, stream, type and endpoint, in either order', async () => {
    await using folder = await holdLog([bounce, complaint, elsewhere, removed, future])
    const listed = async (args: string): Promise<string[]> => {
      const answer = jsonOf(await folder.bridge(`events list --json ${args}`.trimEnd()))
      expect(answer.more).toBe(false)
      return answer.events.map(({ recordId }: { recordId: string }) => recordId)
    }
    const cases: [string, string[]][] = [
      ['', ['f', 'b', 'c', 'o']],
      ['--order oldest --all', ['o', 'c', 'b', 'f']],
      ['--since 2d --until 2h', ['c']],
      ['--source other', ['o']],
      ['--source gone', ['r']],
      ['--stream complaints', ['c']],
      ['--types email.bounce.hard,email.complaint', ['b', 'c']],
      ['--types email.bounce.*', ['f', 'b', 'o']],
      ['--endpoint shop', ['f', 'c']],
      ['--since 1m --types email.complaint', []],
    ]
    for (const [args, ids] of cases) expect([args, await listed(args)]).toEqual([args, ids])
  })

  test('shows no address, each event in a row, and says where there are more', async () => {
    await using folder = await holdLog([bounce, complaint, elsewhere])
    const { code, stdout, stderr } = await folder.bridge('events list --limit 2')
    const rows = stdout.split('\n').map(line => line.split(/ {2,}/))
    expect(rows).toEqual([
      ['TIME', 'EVENT', 'TYPE', 'SOURCE', 'ENDPOINTS'],
      [expect.stringMatching(/^2\S+ \S+Z$/), bounce.id, 'email.bounce.hard', 'main', 'crm'],
      [expect.stringMatching(/^2\S+ \S+Z$/), complaint.id, 'email.complaint', 'main', 'crm, shop'],
      [''],
    ])
    expect([code, stderr]).toEqual([0, 'There are more: --limit N shows N of them, --all shows all.\n'])
    expect(stdout.toLowerCase()).not.toContain('example.com')
  })

  test('is told what is wrong, all at once', async () => {
    await using folder = await holdLog([])
    const wrong = await folder.bridge('events list --since soon --types email.bonce --limit 0 --order up')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr.split('\n').map(line => line.split(':')[1])).toEqual([
      ' --since',
      ' --types',
      ' --order',
      ' --limit',
      undefined,
    ])
    expect((await folder.bridge('events list --limit 5 --all')).code).toBe(2)
    expect((await folder.bridge('events list --since 1h --until 2h')).code).toBe(2)
  })
})

describe('bridge events show', () => {
  test("tells when it was read, and each endpoint's attempts with their answers", async () => {
    const event = loggedEvent({
      second: nowSecond - 3_600,
      uuid: 'b',
      fields: hard,
      endpointIds: ['crm', 'shop'],
    })
    await using folder = await holdLog([event])
    const { table } = folder
    await table.endpoints.put(endpointOf('later'))
    const failed = {
      position: { round: 1, attempt: 1 },
      atMs: event.loggedAtMs + 900,
      tookMs: 31,
      status: 503,
      reason: 'http_503',
      answer: 'try again later',
    }
    const waiting = deliveryOf(event, {
      state: 'waiting',
      reason: 'http_503',
      retryAtMs: Date.now() + 60_000,
      dueMs: Date.now() + 960_000,
      firstFailureAtMs: failed.atMs,
      attempts: [failed],
    })
    const recovered = deliveryOf(event, { endpointId: 'later', position: { round: 2, attempt: 1 } })
    const condition = { kind: 'unsettled_before', rank: 999_999 } as const
    await table.store.write(waiting, condition)
    await table.store.write(recovered, condition)

    const { code, stdout, stderr } = await folder.bridge(`events show ${event.id}`)
    expect([code, stderr]).toEqual([0, ''])
    const [fields = '', ...deliveries] = stdout.trimEnd().split('\n\n')
    expect(fields.split('\n').map(line => line.split(/ {2,}/))).toEqual([
      ['Event', event.id],
      ['Type', 'email.bounce.hard'],
      ['Source', 'main, bounces, record b'],
      ['At the service', expect.stringMatching(/Z \(1\.0 h ago\)$/)],
      ['Read and enqueued', expect.stringMatching(/Z, 7\.0 s later$/)],
      ['Kept until', expect.stringMatching(/Z \(in 35 d\)$/)],
      ['Recipient', 'Jo@Example.com'],
      ['From', 'Acme <news@acme.io>'],
      ['Bounce', 'hard, bad-mailbox, 550, 5.1.1'],
      // What could act on the terminal is left out.
      ['Diagnostic', 'smtp; 550 5.1.1 no?[31m such user'],
      ['Suggested', 'suppress'],
    ])
    expect(deliveries).toEqual([
      expect.stringMatching(
        /^crm: waiting: http_503; attempt 2 comes \S+ \S+Z \(in [\d.]+ s\)\nATTEMPT .*\n1\.1 +\S+ \S+Z +31 ms +503 +try again later$/,
      ),
      expect.stringMatching(
        /^later \(recovered since\): delivered \S+ \S+Z \(.* ago\) with attempt 1 of round 2$/,
      ),
      'shop: in a queue, no attempt is settled yet',
    ])

    const answer = jsonOf(await folder.bridge(`events show ${event.id} --json`))
    expect(answer.event).toEqual(JSON.parse(event.body))
    expect(answer.deliveries).toMatchObject([
      {
        endpoint: 'crm',
        matched: true,
        state: 'waiting',
        attempts: [{ status: 503, answer: 'try again later' }],
      },
      { endpoint: 'later', matched: false, state: 'delivered', attempts: [] },
      { endpoint: 'shop', matched: true, state: null, attempts: [] },
    ])
    expect((await folder.bridge(`events show ${event.id} --body`)).stdout).toBe(`${event.body}\n`)
  })

  test('finds an event of a source that was removed by its deliveries', async () => {
    await using folder = await holdLog([removed])
    await folder.table.store.write(deliveryOf(removed), { kind: 'unsettled_before', rank: 999_999 })
    const answer = jsonOf(await folder.bridge(`events show ${removed.id} --json`))
    expect([answer.source, answer.deliveries.length]).toEqual(['gone', 1])
  })

  test('says where there is none, and what an id is', async () => {
    await using folder = await holdLog([])
    const missing = await folder.bridge(`events show ${bounce.id}`)
    expect([missing.code, missing.stderr.split('\n')[0]]).toEqual([
      1,
      'bridge: the event log has no event of this id',
    ])
    const wrong = await folder.bridge('events show evt_1')
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'bridge: EVENT: must be evt_ and 26 letters and digits in upper case\n',
    ])
  })
})

describe('bridge events export', () => {
  const mailTo = (rcpt: string, fields: object = hard) => ({ ...fields, rcpt })
  const events = [
    loggedEvent({ second: nowSecond - 500, uuid: '1', fields: mailTo('Jo@Example.com') }),
    loggedEvent({
      second: nowSecond - 400,
      uuid: '2',
      stream: 'complaints',
      fields: { rcpt: 'JO@example.COM' },
    }),
    loggedEvent({ second: nowSecond - 300, uuid: '3', fields: mailTo('"a,b"@example.com') }),
    loggedEvent({
      second: nowSecond - 200,
      uuid: '4',
      fields: mailTo('ok@example.com', { bounce_type: 's' }),
    }),
    loggedEvent({ second: nowSecond - 100, uuid: '5', fields: mailTo('undisclosed recipients') }),
    loggedEvent({
      second: nowSecond - 90_000,
      uuid: '6',
      fields: mailTo('ann@example.com'),
      sourceId: 'other',
    }),
  ]
  const isoOf = (at: number): string => new Date((events[at]?.second ?? 0) * 1_000).toISOString()

  test('gives the addresses to suppress as CSV, each once, with its newest event', async () => {
    await using folder = await holdLog(events)
    const { code, stdout, stderr } = await folder.bridge('events export --format csv --action suppress')
    expect([code, stderr]).toEqual([0, '3 addresses.\n'])
    expect(stdout.split('\n')).toEqual([
      'address,action,type,category,smtpCode,enhancedCode,timestamp,source,event',
      `"""a,b""@example.com",suppress,email.bounce.hard,bad-mailbox,550,5.1.1,${isoOf(2)},main,${events[2]?.id}`,
      `jo@example.com,suppress,email.complaint,,,,${isoOf(1)},main,${events[1]?.id}`,
      `ann@example.com,suppress,email.bounce.hard,bad-mailbox,550,5.1.1,${isoOf(5)},other,${events[5]?.id}`,
      '',
    ])
  })

  test('gives them as JSON, a line each or one document, for each action, time and order', async () => {
    await using folder = await holdLog(events)
    const first = await folder.bridge('events export --format ndjson --order oldest --since 1h')
    const lines = first.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.map(({ address, type }) => [address, type])).toEqual([
      ['jo@example.com', 'email.bounce.hard'],
      ['"a,b"@example.com', 'email.bounce.hard'],
    ])
    const { addresses } = jsonOf(await folder.bridge('events export --json --action suppress_temporarily'))
    expect(addresses).toEqual([
      {
        address: 'ok@example.com',
        action: 'suppress_temporarily',
        type: 'email.bounce.soft',
        category: null,
        smtpCode: null,
        enhancedCode: null,
        timestamp: isoOf(3),
        source: 'main',
        event: events[3]?.id,
      },
    ])
    expect((await folder.bridge('events export --json --format csv')).code).toBe(2)
    expect((await folder.bridge('events export --action delete')).code).toBe(2)
  })
})
