import { readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { eventTypes } from '../../../shared/domain/event/event-types.ts'
import { startCustomer } from '../local/customers.ts'
import { jsonOf } from './bridge-command.ts'
import { holdFolder } from './held-folder.ts'

const laptop = '--allow-private-endpoints'
/** A literal address, so that no name has to be resolved. */
const publicUrl = 'https://93.184.215.14/hooks/abc'
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

describe('bridge endpoint', () => {
  test('add shows the secret that signs, once; test POSTs a signed event and shows what came of it', async () => {
    await using folder = await holdFolder()
    await using customer = await startCustomer(() => 204)
    const { bridge } = folder
    const added = await bridge(`endpoint add ${customer.url}/in --id crm ${laptop}`)
    expect([added.code, added.stderr]).toEqual([0, ''])
    const secret = /whsec_\S+/.exec(added.stdout)?.[0] ?? ''
    expect((await bridge('endpoint show crm')).stdout).not.toContain(secret)

    const tested = await bridge(`endpoint test crm ${laptop}`)
    expect([tested.code, tested.stderr]).toEqual([0, ''])
    expect(tested.stdout).toMatch(/^POST http:\/\/127.0.0.1:\d+\/in\n/)
    expect(tested.stdout).toMatch(/\nAnswered 204 in \d+ ms: delivered\.\n$/)
    expect(customer.posts).toHaveLength(1)
    const [post] = customer.posts
    const verified = new Webhook(secret).verify(post?.body ?? '', post?.headers ?? {})
    expect(verified).toMatchObject({ id: post?.id, type: 'webhook.test', data: { endpoint: 'crm' } })
  })

  test.each(eventTypes)('test sends a %s, and fails where the answer is no 2xx', async type => {
    await using folder = await holdFolder()
    await using customer = await startCustomer(() => 302)
    const { bridge } = folder
    await bridge(`endpoint add ${customer.url} --id crm ${laptop}`)
    const tested = await bridge(`endpoint test crm --type ${type} ${laptop} --json`)
    expect(tested.code).toBe(1)
    const answer = jsonOf(tested)
    expect(answer).toMatchObject({
      endpoint: 'crm',
      type,
      delivered: false,
      answer: { status: 302, body: '' },
      reason: 'http_302',
    })
    expect(customer.posts.map(({ body }) => body)).toEqual([answer.request.body])
    expect(JSON.parse(answer.request.body).type).toBe(type)
  })

  test('add tells all that is wrong with what it is given at once', async () => {
    await using folder = await holdFolder()
    const wrong = await folder.bridge('endpoint add foo --types x,y --max-in-flight none')
    expect([
      wrong.code,
      wrong.stderr
        .trimEnd()
        .split('\n')
        .map(line => line.split(':')[1]),
    ]).toEqual([2, [' URL', ' --types', ' --max-in-flight']])
  })

  test('test of what is on this machine names the flag that lets a local bridge send there', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add http://127.0.0.1:9/ --id crm ${laptop}`)
    const tested = await bridge('endpoint test crm')
    expect([tested.code, tested.stdout.includes('url_refused')]).toEqual([1, true])
    expect(tested.stderr).toContain(laptop)
    const { checks } = jsonOf(await bridge('doctor --json'))
    const found = checks.find(
      ({ check, of }: { check: string; of: string }) => `${check} ${of}` === 'endpoint crm',
    )
    expect([found.outcome, found.mend]).toEqual(['failed', expect.stringContaining(laptop)])
  })

  test('test says why there was no answer', async () => {
    await using folder = await holdFolder()
    const customer = await startCustomer()
    await customer[Symbol.asyncDispose]()
    const { bridge } = folder
    await bridge(`endpoint add ${customer.url} --id crm ${laptop}`)
    const tested = await bridge(`endpoint test crm ${laptop}`)
    expect([tested.code, tested.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(/^No answer in \d+ ms: connection_refused, nothing listens at the address\.$/),
    ])
  })

  test('add refuses what is never sent to, and a laptop may allow some of it', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    const codeOf = async (args: string): Promise<number | null> => (await bridge(`endpoint add ${args}`)).code
    expect(await codeOf('https://10.0.0.1/hooks')).toBe(3)
    expect(await codeOf('https://169.254.169.254/hooks --allow-private-endpoints')).toBe(3)
    expect(await codeOf('http://example.com/hooks')).toBe(2)
    expect(await codeOf('https://localhost/hooks')).toBe(2)
    expect(await codeOf(`https://localhost/hooks ${laptop}`)).toBe(0)
    const wrong = await bridge('endpoint add nonsense --types email.bonce')
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain('--types: "email.bonce" is no type of event.')
    expect(jsonOf(await bridge('endpoint list --json')).endpoints).toHaveLength(1)
  })

  test('add refuses an id that is taken or was, and a URL that another one has', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add ${publicUrl} --id crm`)
    const first = async (args: string) => {
      const { code, stderr } = await bridge(`endpoint ${args}`)
      return [code, stderr.split('\n')[0]]
    }
    expect(await first('add https://93.184.215.14/other --id crm')).toEqual([
      3,
      'bridge: there is an endpoint "crm" already',
    ])
    expect(await first(`add ${publicUrl} --id shop`)).toEqual([
      3,
      'bridge: the endpoint "crm" has this URL already: the customer would get what both match twice',
    ])
    expect(await first(`add ${publicUrl} --id shop --same-url`)).toEqual([0, ''])
    expect(await first('remove crm --yes')).toEqual([0, ''])
    expect(await first('add https://93.184.215.14/other --id crm')).toEqual([
      3,
      'bridge: there was an endpoint "crm" already',
    ])
    expect(await first('update crm --types email.*')).toEqual([3, 'bridge: the endpoint "crm" was removed'])
  })

  test('its own secret is read from standard input, kept for its owner alone, and not shown', async () => {
    await using folder = await holdFolder()
    await using customer = await startCustomer()
    const { bridge } = folder
    const added = await bridge(`endpoint add ${customer.url} --id crm --own-secret ${laptop}`, ownSecret)
    expect(added).toEqual({ code: 0, stdout: 'Added the endpoint crm.\n', stderr: '' })
    expect(JSON.parse(readFileSync(folder.of('secrets/signing-crm-1.json'), 'utf8')).secret).toBe(ownSecret)
    await bridge(`endpoint test crm ${laptop}`)
    const [post] = customer.posts
    expect(() => new Webhook(ownSecret).verify(post?.body ?? '', post?.headers ?? {})).not.toThrow()
    const wrong = await bridge(`endpoint add ${publicUrl} --own-secret`, 'whsec_short')
    expect([wrong.code, wrong.stderr.includes('whsec_short')]).toEqual([2, false])
  })

  test('rotate-secret signs with both until the overlap ends, and with the new one alone where there is none', async () => {
    await using folder = await holdFolder()
    await using customer = await startCustomer()
    const { bridge } = folder
    const add = await bridge(`endpoint add ${customer.url} --id crm ${laptop} --json`)
    const first: string = jsonOf(add).signingSecret
    const rotated = jsonOf(await bridge('endpoint rotate-secret crm --overlap 24h --json'))
    expect(rotated.keys).toEqual([
      { version: 1, secret: null, signsUntil: rotated.oldSignsUntil },
      { version: 2, secret: null, signsUntil: null },
    ])
    expect(Date.parse(rotated.oldSignsUntil) - Date.now()).toBeGreaterThan(23.9 * 3_600_000)
    const verifies = async (secrets: readonly string[]): Promise<boolean[]> => {
      await bridge(`endpoint test crm ${laptop}`)
      const post = customer.posts.at(-1)
      return secrets.map(secret => {
        try {
          new Webhook(secret).verify(post?.body ?? '', post?.headers ?? {})
          return true
        } catch {
          return false
        }
      })
    }
    const second: string = rotated.signingSecret
    expect(await verifies([first, second])).toEqual([true, true])

    const own = await bridge('endpoint rotate-secret crm --overlap 0s --own-secret --yes', ownSecret)
    expect(own.code).toBe(0)
    expect(await verifies([first, second, ownSecret])).toEqual([false, false, true])
    expect((await bridge('endpoint rotate-secret crm --overlap 0s')).code).toBe(2)
  })

  test('update changes what is given alone, and any clears a filter', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add ${publicUrl} --id crm --sender-domains a.example,b.example --sources main`)
    const before = jsonOf(await bridge('endpoint show crm --json'))
    expect(before.filters).toEqual({
      senderDomains: ['a.example', 'b.example'],
      recipientDomains: null,
      bounceCategories: null,
      sources: ['main'],
    })
    await bridge('endpoint update crm --types email.bounce.* --sender-domains any')
    const after = jsonOf(await bridge('endpoint show crm --json'))
    expect(after).toEqual({
      ...before,
      types: ['email.bounce.*'],
      filters: { ...before.filters, senderDomains: null },
    })
    expect((await bridge('endpoint update crm')).code).toBe(2)
    expect((await bridge('endpoint update crm --url https://10.1.1.1/')).code).toBe(3)
  })

  test('list shows the host of a URL alone, and show the whole', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add ${publicUrl} --id crm --disabled`)
    const listed = await bridge('endpoint list')
    expect(listed.stdout.split('\n').map(line => line.split(/ {2,}/))).toEqual([
      ['ENDPOINT', 'STATE', 'URL', 'TYPES', 'WAITING', 'HELD', 'DEAD'],
      ['crm', 'disabled', 'https://93.184.215.14/…', '*', '0', '0', '0'],
      [''],
    ])
    expect((await bridge('endpoint show crm')).stdout).toContain(publicUrl)
  })
})
