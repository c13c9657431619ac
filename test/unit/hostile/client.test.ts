import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { MockAgent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createFeedbackClient,
  type FeedbackClientOptions,
} from '../../../shared/adapters/feedback-api/client.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { headers, sayings, status } from './hostile-answers.ts'
import { inherited } from './hostile-json.ts'
import { envelopeText, pageBytes } from './hostile-pages.ts'
import { nowSecond } from './hostile-times.ts'
import { htmlEscaped, jsonEscaped, markers, markersIn, wordsOfError } from './markers.ts'

const origin = 'https://service.example'
type Answer = { status: number; headers: Record<string, string>; body: Buffer }

/** A client whose service answers as it is told: no socket is ever opened, and another origin is an error. */
const world = (options: Partial<FeedbackClientOptions> = {}) => {
  const agent = new MockAgent()
  agent.disableNetConnect()
  onTestFinished(() => agent.close())
  const asked: { path: string; headers: unknown }[] = []
  let answer: Answer = { status: 200, headers: {}, body: Buffer.from('') }
  agent
    .get(origin)
    .intercept({ path: () => true, method: 'GET' })
    .reply(({ path, headers }) => {
      asked.push({ path, headers })
      return { statusCode: answer.status, data: answer.body, responseOptions: { headers: answer.headers } }
    })
    .persist()
  const client = createFeedbackClient({
    baseUrl: origin,
    pathPrefix: '/api/v2',
    authScheme: 'Token',
    token: async () => markers.token,
    includeSoft: true,
    pageSize: null,
    now: () => nowSecond * 1000,
    dispatcher: agent,
    ...options,
  })
  const ask = async (given: Answer, nextQuery: string | null = null) => {
    answer = given
    try {
      const page = await client.listPage({ stream: 'bounces', order: 'asc', lastId: null, nextQuery })
      return { page, error: null }
    } catch (error) {
      return { page: null, error }
    }
  }
  return { ask, asked, client, answerWith: (given: Answer) => (answer = given) }
}

describe('the client of a hostile service', () => {
  test('brings a page or a named error, which holds neither token nor address in any notation', async () => {
    const { ask, asked } = world()
    const before = inherited()
    const body = fc.oneof(
      pageBytes,
      sayings.map(text => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(status, headers, body, async (code, said, bytes) => {
        const { page, error } = await ask({ status: code, headers: said, body: bytes })
        if (page !== null) {
          expect(code).toBeLessThan(300)
          return
        }
        expect(error).toBeInstanceOf(FeedbackApiError)
        expect(markersIn(wordsOfError(error)), wordsOfError(error)).toEqual([])
      }),
      { numRuns: 1_500 },
    )
    expect(inherited()).toEqual(before)
    expect(asked).not.toHaveLength(0)
  }, 30_000)

  test('regression: an address or a token whose characters are escaped is not shown', async () => {
    const { ask } = world()
    const texts = [markers.recipient, markers.token]
    for (const said of texts.flatMap(text => [
      jsonEscaped(text),
      htmlEscaped(text),
      text.replace('@', '&#x40;'),
    ])) {
      const { error } = await ask({
        status: 400,
        headers: {},
        body: Buffer.from(`{"code":1,"said":"${said}"}`),
      })
      expect([said, markersIn(wordsOfError(error))]).toEqual([said, []])
    }
  })

  test('takes no packed answer for a page, whatever its headers claim', async () => {
    const { ask } = world()
    const page = Buffer.from('{"results":[],"next":null}')
    const packed = gzipSync(page)
    for (const [body, encoding] of [
      [packed, 'gzip'],
      [packed, ''],
      [page, 'gzip'],
      [packed, 'identity'],
    ] as const) {
      const { error } = await ask({ status: 200, headers: { 'content-encoding': encoding }, body })
      expect(error).toMatchObject({ code: 'feedback_unreadable_page' })
    }
  })

  test('reads no more than its bound of an answer, told or not, and half a page never as one', async () => {
    const bytesMax = 4_096
    const { ask } = world({ pageBytesMax: bytesMax })
    const row = `{"uuid":"a","timelogged":${nowSecond}}`
    const sizes = fc.integer({ min: 1, max: 400 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (rows, isTold) => {
        const body = Buffer.from(`{"results":[${Array(rows).fill(row).join()}],"next":null}`)
        const told = isTold ? { 'content-length': String(body.length) } : {}
        const { page, error } = await ask({ status: 200, headers: told, body })
        if (body.length <= bytesMax) expect(page?.records).toHaveLength(rows)
        else expect(error).toMatchObject({ code: 'feedback_page_too_large' })
      }),
      { numRuns: 100 },
    )
  })

  test('sends its token to its own origin only, whatever a next or a redirect says', async () => {
    const { ask, asked } = world()
    await fc.assert(
      fc.asyncProperty(envelopeText, fc.string({ unit: 'binary' }), async (text, query) => {
        await ask({ status: 200, headers: {}, body: Buffer.from(text) }, query)
        await ask(
          { status: 307, headers: { location: 'https://elsewhere.example/' }, body: Buffer.from('') },
          query,
        )
      }),
      { numRuns: 200 },
    )
    expect(asked).toHaveLength(400)
    expect(asked.filter(({ path }) => !path.startsWith('/api/v2/bounces?'))).toEqual([])
    expect(asked.filter(({ path }) => path.includes('#') || /[^!-~]/.test(path))).toEqual([])
  }, 30_000)

  test('reads contact lists of any shape, or says by name why not', async () => {
    const { client, answerWith } = world()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          pageBytes,
          sayings.map(text => Buffer.from(text)),
        ),
        status,
        async (body, code) => {
          answerWith({ status: code, headers: {}, body })
          const error = await client.listContactLists().then(
            () => null,
            (thrown: unknown) => thrown,
          )
          if (error === null) return
          expect(error).toBeInstanceOf(FeedbackApiError)
          expect(markersIn(wordsOfError(error)), wordsOfError(error)).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  }, 30_000)
})
