import { describe, expect, it } from 'vitest'
import { createTokenReader } from '../../../infra/simulator/token-secret.ts'

const nowMs = Date.UTC(2026, 10, 20, 9, 30)

describe('the token of the secret', () => {
  const reading = (secrets: (string | undefined | Error)[]) => {
    let atMs = nowMs
    let reads = 0
    const readToken = createTokenReader({
      now: () => atMs,
      readSecret: async () => {
        const secret = secrets[reads]
        reads += 1
        if (secret instanceof Error) throw secret
        return secret
      },
    })
    return { readToken, readsSoFar: () => reads, pass: (ms: number) => (atMs += ms) }
  }

  it('is asked for once a minute', async () => {
    const { readToken, readsSoFar, pass } = reading(['one\n', 'two'])
    expect([await readToken(), await readToken()]).toEqual(['one', 'one'])
    pass(59_999)
    expect(await readToken()).toBe('one')
    expect(readsSoFar()).toBe(1)
    pass(1)
    expect(await readToken()).toBe('two')
  })

  it('is asked for again after a failure', async () => {
    const denied = Object.assign(new Error('user is not allowed'), { name: 'AccessDeniedException' })
    const { readToken } = reading([denied, 'one'])
    await expect(readToken()).rejects.toMatchObject({
      code: 'simulator_token',
      message: "The simulator's token could not be read: AccessDeniedException.",
    })
    expect(await readToken()).toBe('one')
  })

  it.each(['', '  ', 'two words', 'schlüssel', undefined])('is no token where it is %o', async secret => {
    await expect(reading([secret]).readToken()).rejects.toMatchObject({
      message: "The simulator's token is not visible ASCII without spaces.",
    })
  })
})
