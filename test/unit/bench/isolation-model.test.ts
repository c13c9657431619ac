import { describe, expect, it } from 'vitest'
import { batchMessagesMax } from '../../../infra/stack/lane-batches.ts'
import { createFairQueue } from '../../bench/isolation/fair-queue.ts'
import { startLane } from '../../bench/isolation/lane-model.ts'
import { createVirtualClock } from '../../bench/isolation/virtual-clock.ts'

const createQueue = (isFair: boolean) => {
  const clock = createVirtualClock(0)
  const queue = createFairQueue({ clock, isFair })
  const send = (group: string, count: number, delayMs = 0): void => {
    for (let at = 0; at < count; at += 1) queue.send({ body: `${group} ${at}`, group, delayMs })
  }
  const receive = (max: number): string[] => queue.receive(max).map(({ group }) => group)
  return { clock, queue, send, receive }
}

describe('the queue of the model', () => {
  it('hands out the oldest first, whoever it is for, where groups do not count', () => {
    const { send, receive } = createQueue(false)
    send('loud', 40)
    send('quiet', 1)
    expect(receive(40)).toEqual(Array.from({ length: 40 }, () => 'loud'))
    expect(receive(2)).toEqual(['quiet'])
  })

  it('hands out others first once a group has 30 in flight and a tenth of all', () => {
    const { send, receive } = createQueue(true)
    send('loud', 40)
    receive(29)
    send('quiet', 2)
    expect(receive(1)).toEqual(['loud'])
    expect(receive(2)).toEqual(['quiet', 'quiet'])
    expect(receive(3)).toEqual(['loud', 'loud', 'loud'])
  })

  it('hands out others first once a group has used a tenth of the time', async () => {
    const { clock, send, receive } = createQueue(true)
    send('slow', 2)
    expect(receive(1)).toEqual(['slow'])
    await clock.runUntil(1_000)
    send('quiet', 1)
    expect(receive(2)).toEqual(['quiet', 'slow'])
  })

  it('hands out what is delayed once its time has come', async () => {
    const { clock, send, receive } = createQueue(true)
    send('later', 1, 5_000)
    await clock.runUntil(4_999)
    expect(receive(1)).toEqual([])
    await clock.runUntil(5_001)
    expect(receive(1)).toEqual(['later'])
  })
})

describe('a lane of the model', () => {
  it('has so many batches at once, full ones or of what came within the window', async () => {
    const { clock, queue, send } = createQueue(true)
    const begun: { atMs: number; count: number }[] = []
    startLane({
      ...{ lane: 'fast', queue, concurrencyMax: 2, windowMs: 1_000, clock },
      dispatch: async batch => {
        begun.push({ atMs: clock.now(), count: batch.length })
        await clock.sleep(3_000)
        return { failedMessageIds: [] }
      },
      onFailed: () => {},
    })
    send('one', 2 * batchMessagesMax + 3)
    await clock.runUntil(10_000)
    expect(begun).toEqual([
      { atMs: 0, count: batchMessagesMax },
      { atMs: 0, count: batchMessagesMax },
      { atMs: 4_000, count: 3 },
    ])
    expect(queue.depth()).toBe(0)
  })
})
