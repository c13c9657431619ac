import { expect, test } from 'vitest'
import { answered, createHarness, endpointOf, receivedOf } from './harness.ts'

const bearer = { scheme: 'bearer', secret: 'authorization-endpoint' } as const
const value = 'Bearer hush-hush-1'

const withAuthorization = async (of: Parameters<typeof createHarness>[0]) => {
  const harness = await createHarness(of)
  let refusals = 0
  const credentials = {
    credentialsOf: async () =>
      ({ kind: 'credentials', keys: [new Uint8Array(32).fill(1)], authorization: value }) as const,
    noteRefused: () => {
      refusals += 1
    },
  }
  const dispatch = () => harness.dispatch([receivedOf()], { credentials })
  return { ...harness, dispatch, refusals: () => refusals }
}

test("the endpoint's headers and its authorization go with every POST, and never in place of ours", async () => {
  const headers = {
    'x-tenant': 'acme',
    'content-type': 'text/plain',
    'webhook-id': 'evt_mine',
    host: 'x',
    'Webhook-Signature': 'v1,x',
  }
  const { posts, dispatch } = await withAuthorization({
    endpoints: [endpointOf({ headers, authorization: bearer })],
  })
  await dispatch()
  const [post] = posts
  expect(Object.keys(post?.headers ?? {}).sort()).toEqual([
    'authorization',
    'content-type',
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
    'x-tenant',
  ])
  expect(post?.headers).toMatchObject({
    authorization: value,
    'content-type': 'application/json',
    'x-tenant': 'acme',
  })
  expect(post?.headers['webhook-id']).not.toBe('evt_mine')
})

test('an endpoint without headers and authorization gets ours alone', async () => {
  const harness = await createHarness()
  await harness.dispatch([receivedOf()])
  expect(Object.keys(harness.posts[0]?.headers ?? {}).sort()).toEqual([
    'content-type',
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
  ])
})

test('what a delivery keeps of an answer has no address, no secret and no value of a header in it', async () => {
  const echo = 'jane@example.com hush-hush-1 tenant-secret-9'
  const { item, dispatch, happenings } = await withAuthorization({
    endpoints: [endpointOf({ headers: { 'x-tenant': 'tenant-secret-9' }, authorization: bearer })],
    answer: () => ({ ...answered(500), kind: 'answered', status: 500, retryAtMs: null, answer: echo }),
  })
  await dispatch()
  expect((await item())?.attempts.map(({ answer }) => answer)).toEqual(['[address] [secret] [secret]'])
  expect(JSON.stringify(happenings)).not.toMatch(/hush|tenant|jane/)
})

test.each([
  [401, 1],
  [403, 0],
  [500, 0],
  [200, 0],
])('an answer of %i says so often that what is kept may have been changed: %i', async (status, count) => {
  const { dispatch, refusals } = await withAuthorization({
    endpoints: [endpointOf({ authorization: bearer })],
    answer: () => answered(status),
  })
  await dispatch()
  expect(refusals()).toBe(count)
})
