import { expect, test } from 'vitest'
import { jsonOf } from './bridge-command.ts'
import { deadOf, holdTable } from './dead-letters.ts'
import { holding, itemTexts } from './everything-held.ts'
import { loggedEvent } from './filled-table.ts'
import { interruptCommand } from './interrupted-command.ts'

const address = 'jo@example.com'
const firstSecond = Math.floor(Date.now() / 1_000) - 7_200

const eventAt = (at: number) =>
  loggedEvent({ second: firstSecond + at, uuid: `event-${at}`, fields: { bounce_type: 'h', rcpt: address } })

const attempts = [
  {
    position: { round: 1, attempt: 1 },
    atMs: 1,
    tookMs: 1,
    status: 500,
    reason: 'http_500',
    answer: `who is ${address}?`,
  },
]

test.each(['SIGINT', 'SIGKILL'] as const)(
  'bridge forget, ended by %s, goes on where it was when the same command is run again',
  async signal => {
    const count = 400
    const events = Array.from({ length: count }, (_, at) => eventAt(at))
    await using folder = await holdTable({
      events,
      deliveries: events.map(event => deadOf(event, { attempts })),
    })
    const forgotten = async (): Promise<number> => count - (await folder.countIn('crm', 'dead', count))
    const args = `forget --recipient ${address} --yes`
    const isUnderWay = async () => (await forgotten()) > 0
    const { ended, stderr } = await interruptCommand({ dataDir: folder.path, args, signal, isUnderWay })
    expect(ended).toBe(signal === 'SIGINT' ? 130 : 'SIGKILL')
    if (signal === 'SIGINT') {
      expect(stderr).toMatch(
        /^Interrupted: [\d,]+ events? forgotten\. The same command goes on with the rest\.\n$/,
      )
    }
    const first = await forgotten()
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(count)
    const rest = jsonOf(await folder.bridge(`${args} --json`))
    // One may have lost its deliveries and not yet its text.
    expect([count - first, count - first + 1]).toContain(rest.events)
    expect(rest.deliveries.dead).toBe(count - first)
    expect(await forgotten()).toBe(count)
    expect(holding(await itemTexts(folder.emulators), address)).toBe(0)
  },
  40_000,
)
