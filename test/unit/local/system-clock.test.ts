import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../shared/adapters/system-clock.ts'

const longMs = 600_000

describe('a sleep by the machine’s clock', () => {
  it('ends when its time has come, and at once where that is past', async () => {
    const beganMs = performance.now()
    await systemClock.sleep(20)
    expect(performance.now() - beganMs).toBeGreaterThan(18)
    await systemClock.sleep(-1)
  })

  it('ends when it is cut short, and has not begun where it was before', async () => {
    const cut = new AbortController()
    const asleep = systemClock.sleep(longMs, cut.signal)
    cut.abort()
    await asleep
    await systemClock.sleep(longMs, cut.signal)
  })

  it('leaves nothing behind at whoever may cut it short', async () => {
    const cut = new AbortController()
    await systemClock.sleep(0, cut.signal)
    const asleep = systemClock.sleep(longMs, cut.signal)
    expect(getEventListeners(cut.signal, 'abort')).toHaveLength(1)
    cut.abort()
    await asleep
    expect(getEventListeners(cut.signal, 'abort')).toHaveLength(0)
  })
})
