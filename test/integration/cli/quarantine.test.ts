import { describe, expect, test } from 'vitest'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import { jsonOf } from './bridge-command.ts'
import { hashOf, holdQuarantine, nowMs } from './held-quarantine.ts'

const second = Math.floor(nowMs / 1_000) - 3_600

const readable = JSON.stringify({ uuid: 'u-1', timelogged: second, bounce_type: 'h', rcpt: 'jo@example.com' })
const timeless = JSON.stringify({ uuid: 'u-2', rcpt: 'an@example.com', note: 'a\u202eb' })

const ofAll = [
  { text: timeless, reason: 'no_usable_time' },
  { text: '[1]', reason: 'not_an_object', sourceId: 'other' },
  { text: readable, reason: 'queue_refused: too_large' },
  { text: '[2]', reason: 'not_an_object', stream: 'complaints' as const },
]

describe('bridge quarantine', { timeout: 40_000 }, () => {
  test('list shows the newest first, as rows and as JSON, by source, stream, reason and time', async () => {
    await using folder = await holdQuarantine([...ofAll, { text: '[3]', reason: 'x', sourceId: 'gone' }])
    const { code, stdout } = await folder.bridge('quarantine list')
    const rows = stdout.split('\n').map(line => line.split(/ {2,}/))
    expect([code, rows[0]]).toEqual([0, ['HASH', 'SOURCE', 'STREAM', 'KEPT AT', 'REASON']])
    expect(
      rows.slice(1, -1).map(([hash, source, stream, , reason]) => [hash, source, stream, reason]),
    ).toEqual(
      ofAll.map(({ text, reason, sourceId = 'main', stream = 'bounces' }) => [
        hashOf(text).slice(0, 16),
        sourceId,
        stream,
        reason,
      ]),
    )
    const { records, more } = jsonOf(await folder.bridge('quarantine list --limit 1 --json'))
    expect([records, more]).toEqual([
      [
        {
          hash: hashOf(timeless),
          source: 'main',
          stream: 'bounces',
          reason: 'no_usable_time',
          keptAt: new Date(nowMs).toISOString(),
        },
      ],
      true,
    ])
    const [time, one, read, two] = ofAll.map(({ text }) => hashOf(text))
    expect(await folder.hashes('--reason queue_refused')).toEqual([read])
    expect(await folder.hashes('--reason not_an_object --source main')).toEqual([two])
    expect(await folder.hashes('--stream complaints')).toEqual([two])
    expect(await folder.hashes('--since 90s')).toEqual([time, one])
    expect(await folder.hashes('--until 90s')).toEqual([read, two])
    expect(await folder.hashes('--source gone')).toEqual([hashOf('[3]')])
    expect((await folder.hashes('--all')).toSorted()).toEqual([time, one, read, two].toSorted())
  })

  test('show tells why it was kept, what today’s code makes of it, and its text, harmless for a terminal', async () => {
    await using folder = await holdQuarantine(ofAll)
    const still = await folder.bridge(`quarantine show ${hashOf(timeless).slice(0, 6)}`)
    expect([still.code, still.stdout.includes('\u202e')]).toEqual([0, false])
    expect(still.stdout).toMatch(/\nReason +no_usable_time\nRead today +still not: no_usable_time\n/)
    expect(still.stdout.split('\n').at(-2)).toBe(timeless.replace('\u202e', '?'))
    const now = await folder.bridge(`quarantine show ${hashOf(readable)}`)
    expect(now.stdout).toContain(
      `it can be read: bridge quarantine retry ${hashOf(readable).slice(0, 16)} sends it`,
    )
    expect(jsonOf(await folder.bridge(`quarantine show ${hashOf(readable)} --json`))).toEqual({
      hash: hashOf(readable),
      source: 'main',
      stream: 'bounces',
      reason: 'queue_refused: too_large',
      keptAt: new Date(nowMs - 120_000).toISOString(),
      bytes: readable.length,
      problemToday: null,
      text: readable,
    })
    expect((await folder.bridge(`quarantine show ${hashOf(readable)} --raw`)).stdout).toBe(`${readable}\n`)
    const none = await folder.bridge('quarantine show 000000')
    expect([none.code, none.stderr.split('\n')[0]]).toEqual([
      1,
      'bridge: there is no quarantined record 000000',
    ])
    expect((await folder.bridge('quarantine show 0a1b')).code).toBe(2)
  })

  test('retry sends what can be read the poller’s way and takes it out; what can’t be read stays', async () => {
    await using folder = await holdQuarantine(ofAll)
    const id = eventId({ sourceId: 'main', stream: 'bounces', uuid: 'u-1', second })
    const dry = await folder.bridge('quarantine retry --all --dry-run --json')
    expect([dry.code, jsonOf(dry)]).toEqual([
      0,
      {
        dryRun: true,
        records: 4,
        enqueued: 1,
        known: 0,
        kept: expect.arrayContaining([
          { reason: 'no_usable_time', count: 1 },
          { reason: 'not_an_object', count: 2 },
        ]),
        event: null,
      },
    ])
    expect([await folder.queued(), (await folder.hashes()).length]).toEqual([[], 4])

    expect(await folder.bridge(`quarantine retry ${hashOf(readable).slice(0, 16)}`)).toEqual({
      code: 0,
      stdout: `1 record enqueued as ${id}.\n`,
      stderr: '',
    })
    expect(await folder.queued()).toMatchObject([{ eventId: id, endpointId: 'crm', round: 1, attempt: 1 }])
    const logged = await folder.table.log.read({ sourceId: 'main', stream: 'bounces', eventId: id })
    expect([logged?.recordId, logged?.endpointIds]).toEqual(['u-1', ['crm']])
    expect(await folder.hashes()).not.toContain(hashOf(readable))

    const rest = await folder.bridge('quarantine retry --all --source main')
    expect([rest.code, rest.stdout.split('\n').toSorted()]).toEqual([
      1,
      ['', '1 record kept: no_usable_time.', '1 record kept: not_an_object.'],
    ])
    expect((await folder.hashes()).length).toBe(3)
  })

  test('retry of what the log has already takes it out and sends nothing', async () => {
    await using folder = await holdQuarantine(ofAll)
    await folder.bridge(`quarantine retry ${hashOf(readable)}`)
    await folder.queued()
    const of = { sourceId: 'main', stream: 'bounces', hash: hashOf(readable) } as const
    await folder.quarantine.keep({ ...of, text: readable, reason: 'x', atMs: nowMs })
    const again = jsonOf(await folder.bridge(`quarantine retry ${hashOf(readable)} --json`))
    expect(again).toMatchObject({ records: 1, enqueued: 0, known: 1, kept: [] })
    expect([await folder.queued(), (await folder.hashes()).length]).toEqual([[], 3])
  })

  test('retry says of a source that was removed what to do, and wants a hash or --all', async () => {
    await using folder = await holdQuarantine([{ text: readable, reason: 'x', sourceId: 'gone' }])
    const gone = await folder.bridge('quarantine retry --all --source gone')
    expect([gone.code, gone.stderr.split('\n')[0]]).toEqual([1, 'bridge: there is no source "gone"'])
    for (const args of ['retry', `retry ${hashOf(readable)} --all`, 'drop --source gone']) {
      const ran = await folder.bridge(`quarantine ${args}`)
      expect([ran.code, ran.stderr]).toEqual([2, 'bridge: give a HASH, or --all with flags that select\n'])
    }
  })

  test('drop asks first, says how many, and removes those alone', async () => {
    await using folder = await holdQuarantine(ofAll)
    const asked = await folder.bridge('quarantine drop --all --reason not_an_object')
    expect([asked.code, asked.stderr]).toEqual([
      2,
      'bridge: Drop 2 quarantined records? What they say is gone for good. Nobody can be asked here: give --yes to do it\n',
    ])
    expect((await folder.hashes()).length).toBe(4)
    const dropped = await folder.bridge('quarantine drop --all --reason not_an_object --yes')
    expect([dropped.code, dropped.stdout]).toEqual([0, 'Dropped 2 records.\n'])
    expect(await folder.hashes('--limit 9')).toEqual([hashOf(timeless), hashOf(readable)])
    const one = await folder.bridge(`quarantine drop ${hashOf(timeless).slice(0, 8)} --yes --json`)
    expect(jsonOf(one)).toEqual({ dropped: 1 })
    expect(await folder.hashes()).toEqual([hashOf(readable)])
  })
})
