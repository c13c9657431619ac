import { describe, expect, test } from 'vitest'
import { eventDay } from '../../../shared/domain/feedback/event-id.ts'
import { startCommand } from '../local/commands.ts'
import { temporaryFolder } from '../local/folders.ts'
import { commandOn } from './bridge-command.ts'
import { loggedEvent } from './filled-table.ts'
import { bounce, complaint, holdLog } from './sample-events.ts'

describe('bridge events tail', () => {
  const start = (folder: { path: string }, args: string) =>
    startCommand('infra/cli/main.ts', ['events', 'tail', ...args.split(' '), '--data', folder.path])

  /** As the poller does: the mark first. */
  const log = async (
    { table }: Awaited<ReturnType<typeof holdLog>>,
    ...events: readonly ReturnType<typeof loggedEvent>[]
  ) => {
    for (const { sourceId, stream, id, loggedAtMs } of events) {
      const day = eventDay(id)
      await table.marks.lower({
        sourceId,
        stream,
        hour: Math.floor(loggedAtMs / 3_600_000),
        day,
        lowestId: id,
      })
    }
    await table.log.record(events)
  }
  const now = (ago: number, uuid: string, more: Partial<Parameters<typeof loggedEvent>[0]> = {}) =>
    loggedEvent({ second: Math.floor(Date.now() / 1_000) - ago, uuid, loggedAtMs: Date.now(), ...more })

  test('shows what is asked for as it is logged, after what there was since a time, and ends at its limit', async () => {
    await using folder = await holdLog([])
    await log(folder, bounce, complaint, now(30, 'recent'))
    await using tail = start(folder, '--since 2h --types email.bounce.* --limit 4 --json')
    await tail.until(() => tail.stdout().includes('"recent"'))
    await log(folder, now(5, 'new'), now(5, 'no', { stream: 'complaints' }), now(90_000, 'late'))
    expect(await tail.ended).toBe(0)
    const shown = tail
      .stdout()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).recordId)
    expect(shown.slice(0, 2)).toEqual(['b', 'recent'])
    expect(shown.slice(2).toSorted()).toEqual(['late', 'new'])
  })

  test('goes on until Ctrl-C, and leaves out what was there before', async () => {
    await using folder = await holdLog([])
    await log(folder, now(30, 'before'))
    await using tail = start(folder, '--endpoint crm')
    await tail.until(() => tail.stderr().includes('Following'))
    const event = now(1, 'new')
    await log(folder, event, now(1, 'other', { endpointIds: ['shop'] }))
    await tail.until(() => tail.stdout().includes(event.id))
    tail.child.kill('SIGINT')
    expect(await tail.ended).toBe(130)
    const rows = tail.stdout().trimEnd().split('\n')
    expect(rows.map(row => row.split(/ {2,}/)[1])).toEqual(['EVENT', event.id])
  })

  test('says so where no bridge is running', async () => {
    using folder = temporaryFolder()
    const bridge = commandOn(folder.path)
    expect((await bridge('endpoint add https://93.184.215.14/hooks --id crm')).code).toBe(0)
    const { code, stderr } = await bridge('events tail')
    expect([code, stderr.includes('nothing would come')]).toEqual([1, true])
  })
})
