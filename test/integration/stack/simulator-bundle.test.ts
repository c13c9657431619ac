import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  type SecretsManagerStub,
  startSecretsManagerStub,
} from '../../contract/secrets/secrets-manager-stub.ts'
import { onlyResource, type SimulatorStack, synthesizeSimulator } from './simulator-stack.ts'

/** The target of every bundle (issue 3, "What proves it"). */
const bundleBytesMax = 1_000_000

/** Calls the handler of index.mjs in the working folder once: the event comes in, the result goes out. */
const callOnce = `
  import { text } from 'node:stream/consumers'
  const startedAt = performance.now()
  const { handler } = await import(process.cwd() + '/index.mjs')
  const importMs = performance.now() - startedAt
  console.log = () => {}
  const result = await handler(JSON.parse(await text(process.stdin)))
  process.stdout.write(JSON.stringify({ importMs, result }))
`

const calledSchema = z.object({
  importMs: z.number(),
  result: z.object({ statusCode: z.int(), body: z.string() }),
})

const eventOf = (token: string) => ({
  version: '2.0',
  rawPath: '/api/v2/bounces',
  rawQueryString: 'include_soft=1&page_size=3',
  headers: { authorization: `Token ${token}` },
  requestContext: { domainName: 'abc.lambda-url.eu-west-1.on.aws', http: { method: 'GET' } },
})

describe("the simulator's bundle", () => {
  let secrets: SecretsManagerStub
  let made: SimulatorStack
  let folder: string
  let variables: Record<string, string>

  beforeAll(async () => {
    secrets = await startSecretsManagerStub()
    made = await synthesizeSimulator({
      withBundle: true,
      variables: { SIMULATOR_RATE: '0.5', SIMULATOR_TIMELOGGED: 'ms' },
    })
    const assets = (await readdir(made.outdir)).filter(name => name.startsWith('asset.'))
    expect(assets).toHaveLength(1)
    // Away from the project, where nothing could be found that it does not bring.
    folder = join(made.folder, 'task')
    await cp(join(made.outdir, assets[0] ?? ''), folder, { recursive: true })
    variables = z
      .object({
        Properties: z.object({ Environment: z.object({ Variables: z.record(z.string(), z.string()) }) }),
      })
      .parse(onlyResource(made.template, 'AWS::Lambda::Function')).Properties.Environment.Variables
  })
  afterAll(async () => {
    await secrets.close()
    await made[Symbol.asyncDispose]()
  })

  const call = async (token: string) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', callOnce], {
      cwd: folder,
      env: {
        ...variables,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
      },
    })
    child.stdin.end(JSON.stringify(eventOf(token)))
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    expect(errors).toBe('')
    return calledSchema.parse(JSON.parse(output))
  }

  it('holds the code, the records and their licence, and is small', async () => {
    expect((await readdir(folder, { recursive: true })).sort()).toEqual([
      'data',
      'data/LICENSE',
      'data/README.md',
      'data/bounces.ndjson',
      'data/complaints.ndjson',
      'index.mjs',
    ])
    const licence = await readFile(join(folder, 'data', 'LICENSE'), 'utf8')
    expect(licence).toContain('BSD 2-Clause License')
    const { length } = await readFile(join(folder, 'index.mjs'))
    console.log(`simulator: bundle of ${length} bytes`)
    expect(length).toBeLessThan(bundleBytesMax)
  })

  it('gives whoever has the token a page, in a folder of its own', async () => {
    secrets.hold({ 'bridge/token-simulator': 'token-of-the-stack' })
    const { result, importMs } = await call('token-of-the-stack')
    console.log(`simulator: imported in ${Math.round(importMs)} ms`)
    expect(result.statusCode).toBe(200)
    const page = z
      .object({ count: z.int(), results: z.array(z.object({ timelogged: z.int() })) })
      .parse(JSON.parse(result.body))
    expect(page.results).toHaveLength(3)
    // The variable of the stack is in force: milliseconds, of within a minute or so.
    expect(page.results[0]?.timelogged).toBeGreaterThan(Date.now() - 120_000)
    expect(secrets.asked()).toEqual(['bridge/token-simulator'])
    expect((await call('another-token')).result.statusCode).toBe(401)
  })
})
