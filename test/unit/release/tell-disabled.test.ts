import { describe, expect, test } from 'vitest'
import { createHandler } from '../../../functions/releaser/handler.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { failingTooLong, gone } from '../../../shared/domain/delivery/reasons.ts'
import type { DisabledEndpoint, TellResult } from '../../../shared/domain/endpoint/operator-events.ts'
import { endpointOf, nowMs } from '../delivery/harness.ts'
import { createHarness as createReleaser } from './harness.ts'

/** A releaser whose operator hears what it says; `answer` is for each endpoint, told unless it is said otherwise. */
const createHarness = async (ids: readonly string[]) => {
  const harness = await createReleaser({ endpoints: ids.map(id => endpointOf({ id })) })
  const { clock, reporter } = harness.deps
  const told: string[] = []
  const answers = new Map<string, TellResult>()
  const operator = {
    tellDisabled: async (endpoints: readonly DisabledEndpoint[]) => {
      told.push(...endpoints.map(({ id, stateReason }) => `${id} ${stateReason}`))
      return endpoints.map(({ id }): TellResult => answers.get(id) ?? { kind: 'told' })
    },
  }
  const directory = createEndpointDirectory({ endpoints: harness.endpoints, clock, reporter })
  const deps = { ...harness.deps, operator }
  return { ...harness, deps, directory, told, answers, run: createHandler(deps) }
}

const kindsOf = (happenings: readonly { kind: string }[]) => happenings.map(({ kind }) => kind)

describe('the operator', () => {
  test('is told once of each endpoint that the bridge disabled, with its reason', async () => {
    const { directory, run, told, happenings } = await createHarness(['a', 'b', 'c'])
    await directory.disable('a', gone)
    await directory.disable('b', failingTooLong)
    await run({})
    await run({})
    expect(told.sort()).toEqual(['a answered_410', 'b failing_too_long'])
    expect(kindsOf(happenings)).toEqual([
      ...['endpoint_disabled', 'endpoint_disabled', 'operator_told', 'operator_told'],
    ])
  })

  test('is told again by the next run where it was not heard, and only of those', async () => {
    const { directory, run, told, answers, happenings } = await createHarness(['a', 'b'])
    await directory.disable('a', gone)
    await directory.disable('b', gone)
    answers.set('b', { kind: 'failed', reason: 'event_bus: InternalFailure' })
    await run({})
    expect(told).toEqual(['a answered_410', 'b answered_410'])
    expect(happenings.filter(({ kind }) => kind === 'fault')).toMatchObject([
      { endpoint: 'b', reason: 'event_bus: InternalFailure' },
    ])
    answers.clear()
    await run({})
    await run({})
    expect(told.slice(2)).toEqual(['b answered_410'])
  })

  test('is told again where the table did not take it that it was told', async () => {
    const { deps, directory, told } = await createHarness(['a'])
    await directory.disable('a', gone)
    let fails = true
    const setTold: typeof deps.endpoints.setTold = async of => {
      if (fails) throw new Error('no table')
      return deps.endpoints.setTold(of)
    }
    const run = createHandler({ ...deps, endpoints: { ...deps.endpoints, setTold } })
    await run({})
    fails = false
    await run({})
    await run({})
    expect(told).toEqual(['a answered_410', 'a answered_410'])
  })

  test('is told of a second disabling as of the first, also where it came before the first was noted', async () => {
    const { endpoints, deps, directory, run, told, turn } = await createHarness(['a'])
    await directory.disable('a', gone)
    const tellDisabled: typeof deps.operator.tellDisabled = async disabled => {
      // Meanwhile an operator enables it, and it answers 410 again.
      await endpoints.setState({ id: 'a', state: 'active', reason: null, atMs: nowMs + 1 })
      await turn(2)
      await directory.disable('a', gone)
      return deps.operator.tellDisabled(disabled)
    }
    await createHandler({ ...deps, operator: { tellDisabled } })({})
    await run({})
    await run({})
    expect(told).toEqual(['a answered_410', 'a answered_410'])
  })

  test('is not told of what an operator did, nor of what was set right before a run came', async () => {
    const { endpoints, directory, run, told } = await createHarness(['a', 'b', 'c'])
    await endpoints.setState({ id: 'a', state: 'disabled', reason: 'endpoint_disabled', atMs: nowMs })
    await directory.disable('b', gone)
    await endpoints.setState({ id: 'b', state: 'active', reason: null, atMs: nowMs + 1 })
    await directory.disable('c', gone)
    await endpoints.put(endpointOf({ id: 'c' }))
    await run({})
    expect(told).toEqual([])
    expect(await endpoints.untold()).toEqual([])
  })

  test('that nobody needs to tell is told nothing, and nothing is said of it', async () => {
    const { directory, run, answers, happenings, endpoints } = await createHarness(['a'])
    await directory.disable('a', gone)
    answers.set('a', { kind: 'known' })
    await run({})
    expect(kindsOf(happenings)).toEqual(['endpoint_disabled'])
    expect(await endpoints.untold()).toEqual([])
  })

  test('who can not be reached keeps no delivery from being released', async () => {
    const { deps, directory, given } = await createHarness(['endpoint'])
    await directory.disable('endpoint', gone)
    await given('one', { dueMs: nowMs - 1 })
    const tellDisabled = async () => Promise.reject(new Error('no bus'))
    const sent: string[] = []
    const queue: typeof deps.queue = {
      send: async entries => {
        sent.push(...entries.map(({ group }) => group ?? ''))
        return deps.queue.send(entries)
      },
    }
    await expect(createHandler({ ...deps, queue, operator: { tellDisabled } })({})).rejects.toThrow('no bus')
    expect(sent).toEqual(['endpoint'])
  })
})
