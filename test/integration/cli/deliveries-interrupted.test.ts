import { expect, test } from 'vitest'
import { jsonOf } from './bridge-command.ts'
import { holdTable } from './dead-letters.ts'
import { interruptCommand } from './interrupted-command.ts'
import { at, count, ends, hour, inOrder, textsOf } from './many-deliveries.ts'

test('bridge deliveries retry of many, ended three times, sets each once and none twice', {
  timeout: 120_000,
}, async () => {
  const dueMs = Date.now() + 9 * hour * 1_000
  const deliveries = inOrder(() => ({
    ...{ state: 'waiting', position: { round: 1, attempt: 4 }, reason: 'http_503' },
    ...{ dueMs, retryAtMs: dueMs },
  }))
  await using folder = await holdTable({ events: [], deliveries })
  const args = 'deliveries retry --endpoint crm --state waiting --rate 1000 --yes --json'
  for (const [signal, after] of ends) {
    const isUnderWay = async () =>
      (await folder.read('crm', at(deliveries, after).eventId))?.position.round === 2
    const { ended } = await interruptCommand({ dataDir: folder.path, args, signal, isUnderWay })
    expect(ended).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL')
    const texts = textsOf(await folder.store.readMany(deliveries))
    const [left, set] = [
      texts.get('waiting 1.4 http_503') ?? 0,
      texts.get('waiting 2.0 replayed_by_operator') ?? 0,
    ]
    expect(left + set).toBe(count)
    expect(set).toBeGreaterThan(after)
    expect(left).toBeGreaterThan(0)
  }
  const last = jsonOf(await folder.bridge(args))
  expect([last.set + last.left.setBefore, last.complete]).toEqual([count, true])
  const after = await folder.store.readMany(deliveries)
  expect(textsOf(after)).toEqual(new Map([['waiting 2.0 replayed_by_operator', count]]))
  expect(jsonOf(await folder.bridge(args))).toMatchObject({ set: 0, left: { setBefore: count } })
})
