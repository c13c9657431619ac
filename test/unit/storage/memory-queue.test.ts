import { describe, expect, it } from 'vitest'
import { createMemoryQueue } from '../../../shared/adapters/memory/memory-queue.ts'

const startMs = 1_795_132_800_000
const visibilityTimeoutMs = 30_000

const createTurnable = (redriveAfter?: number) => {
  let nowMs = startMs
  const now = () => nowMs
  const deadLetters = createMemoryQueue({ now, visibilityTimeoutMs })
  const redrive =
    redriveAfter === undefined ? {} : { redrive: { maxReceiveCount: redriveAfter, to: deadLetters } }
  const queue = createMemoryQueue({ now, visibilityTimeoutMs, ...redrive })
  return {
    queue,
    deadLetters,
    turn: (ms: number) => {
      nowMs += ms
    },
  }
}

const message = (body: string, delayMs = 0) => ({ body, group: 'shop', delayMs, attributes: {} })
const bodies = (records: readonly { body: string }[]) => records.map(record => record.body)

describe('the queue in memory', () => {
  it('hands out at most ten, the oldest first, each once', () => {
    const { queue } = createTurnable()
    for (let n = 0; n < 12; n += 1) queue.send(message(String(n)))
    expect(bodies(queue.receive(3))).toEqual(['0', '1', '2'])
    expect(bodies(queue.receive(99))).toEqual(['3', '4', '5', '6', '7', '8', '9', '10', '11'])
    expect(queue.receive()).toEqual([])
  })

  it('hands out a delayed message when its delay has passed, and says when that is', () => {
    const { queue, turn } = createTurnable()
    queue.send(message('late', 5_000))
    expect(queue.stats()).toEqual({ visible: 0, delayed: 1, inFlight: 0 })
    expect(queue.nextVisibleAtMs()).toBe(startMs + 5_000)
    turn(4_999)
    expect(queue.receive()).toEqual([])
    turn(1)
    expect(bodies(queue.receive())).toEqual(['late'])
  })

  it('hands a message out again when its visibility has ended, under another handle, and counts', () => {
    const { queue, turn } = createTurnable()
    queue.send(message('a'))
    const [first] = queue.receive()
    expect(queue.stats()).toEqual({ visible: 0, delayed: 0, inFlight: 1 })
    turn(visibilityTimeoutMs)
    const [second] = queue.receive()
    expect(second?.messageId).toBe(first?.messageId)
    expect(second?.attributes.ApproximateReceiveCount).toBe('2')
    expect(queue.delete(first?.receiptHandle ?? '')).toBe(false)
    expect(queue.delete(second?.receiptHandle ?? '')).toBe(true)
    expect(queue.delete(second?.receiptHandle ?? '')).toBe(false)
    expect(queue.stats()).toEqual({ visible: 0, delayed: 0, inFlight: 0 })
  })

  it('hands a released message out at once', () => {
    const { queue } = createTurnable()
    queue.send(message('a'))
    const [record] = queue.receive()
    expect(queue.release(record?.receiptHandle ?? '')).toBe(true)
    expect(bodies(queue.receive())).toEqual(['a'])
  })

  it('moves a message to the dead letters when it would be handed out once too often', () => {
    const { queue, deadLetters, turn } = createTurnable(2)
    queue.send(message('a'))
    for (const expected of [['a'], ['a'], []]) {
      expect(bodies(queue.receive())).toEqual(expected)
      turn(visibilityTimeoutMs)
    }
    expect(bodies(deadLetters.receive())).toEqual(['a'])
    expect(queue.stats()).toEqual({ visible: 0, delayed: 0, inFlight: 0 })
  })

  it('names group and times in a record as Lambda does', () => {
    const { queue, turn } = createTurnable()
    queue.send(message('a'))
    turn(10)
    expect(queue.receive()[0]?.attributes).toEqual({
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: String(startMs + 10),
      SentTimestamp: String(startMs),
      SenderId: '',
      MessageGroupId: 'shop',
    })
  })
})
