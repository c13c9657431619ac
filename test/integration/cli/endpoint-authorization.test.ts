import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { jsonOf } from './bridge-command.ts'
import { findingsOf, textOf } from './doctor-findings.ts'
import { openDocumentTable } from './document-table.ts'
import { holdFolder } from './held-folder.ts'

/** A literal address, so that no name has to be resolved. */
const publicUrl = 'https://93.184.215.14/hooks'

const lastLine = (text: string): string | undefined => text.trimEnd().split('\n').at(-1)

describe('bridge endpoint authorization', () => {
  test('keeps what is piped in for its owner alone, and removes it again', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add ${publicUrl} --id crm`)
    const path = folder.of('secrets/authorization-crm.json')
    const kept = await bridge('endpoint authorization crm --bearer', 'tok-en-1\n')
    expect(kept).toEqual({
      code: 0,
      stdout: 'Kept: crm is asked with bearer authorization from now on.\n',
      stderr: '',
    })
    expect(JSON.parse(readFileSync(path, 'utf8')).secret).toBe('tok-en-1')
    const shown = await bridge('endpoint show crm --json --show-headers')
    expect(jsonOf(shown).authorization).toBe('bearer')
    expect(shown.stdout).not.toContain('tok-en-1')
    expect(jsonOf(await bridge('endpoint authorization crm --none --json')).authorization).toBeNull()
    expect(existsSync(path)).toBe(false)
    await bridge('endpoint authorization crm --basic', 'user:pass')
    expect((await bridge('endpoint remove crm --yes')).code).toBe(0)
    expect(existsSync(path)).toBe(false)
  })

  test('refuses what is none, and tells none of it; one flag must say which it is', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add ${publicUrl} --id crm`)
    const cases = [
      ['--basic', 'hunter2-without-colon', 'it must be user:password'],
      [
        '--bearer',
        'hunter2 with blanks',
        'it must be a token: letters, digits and - . _ ~ + /, with = at its end only',
      ],
      ['--bearer --none', 'hunter2', '--basic, --bearer and --none: give one of them'],
      ['--bearer', '', 'none was given'],
    ] as const
    for (const [flags, text, problem] of cases) {
      const { code, stdout, stderr } = await bridge(`endpoint authorization crm ${flags}`, text)
      expect([code, stdout, stderr.includes('hunter2')]).toEqual([2, '', false])
      expect(stderr).toContain(problem)
    }
    expect(jsonOf(await bridge('endpoint show crm --json')).authorization).toBeNull()
  })

  test('that is missing is found by doctor and by test, with the command that gives it', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add ${publicUrl} --id crm`)
    using table = openDocumentTable(folder.emulators)
    const store = createEndpointStore(table)
    const crm = await store.read('crm')
    if (crm === null) throw new Error('no endpoint')
    await store.put({ ...crm, authorization: { scheme: 'basic', secret: 'authorization-crm' } })
    const findings = findingsOf(await bridge('doctor --json'))
    expect(findings.find(({ check, of }) => check === 'secrets' && of === 'crm')).toMatchObject({
      outcome: 'failed',
      mend: 'Give it: bridge endpoint authorization crm.',
    })
    const tested = await bridge('endpoint test crm')
    expect([tested.code, lastLine(tested.stderr)?.trim()]).toEqual([
      1,
      'bridge endpoint authorization crm gives it.',
    ])
  })
})

test('an open breaker, a pause and failures are told by show, list, status and doctor', async () => {
  await using folder = await holdFolder()
  const { bridge } = folder
  using table = openDocumentTable(folder.emulators)
  const store = createEndpointStore(table)
  for (const id of ['open', 'paused', 'failing', 'well'])
    await bridge(`endpoint add ${publicUrl}/${id} --id ${id}`)
  const nowMs = Date.now()
  const sinceMs = nowMs - 90 * minuteMs
  const nextProbeAtMs = nowMs + 4 * minuteMs
  const failing = { ...goodHealth, version: 1, failuresInRow: 12, failingSinceMs: sinceMs }
  const open = { sinceMs, because: 'failures_in_row', probes: 3, nextProbeAtMs } as const
  await store.writeHealth('open', { ...failing, open })
  await store.writeHealth('paused', { ...goodHealth, version: 1, pausedUntilMs: nowMs + 30 * minuteMs })
  await store.writeHealth('failing', failing)

  expect(jsonOf(await bridge('endpoint show open --json')).health).toEqual({
    breaker: 'open',
    openSince: new Date(sinceMs).toISOString(),
    openBecause: 'failures_in_row',
    nextProbe: new Date(nextProbeAtMs).toISOString(),
    pausedUntil: null,
    failingSince: new Date(sinceMs).toISOString(),
    failuresInRow: 12,
  })
  expect((await bridge('endpoint show open')).stdout).toMatch(
    /breaker open since .* \(1\.5 h ago\), because it failed again and again; the next probe in [34] min/,
  )
  expect((await bridge('endpoint show well')).stdout).toMatch(/Health +good/)
  expect((await bridge('endpoint list')).stdout).toMatch(/^open +active \(breaker open\)/m)
  const status = (await bridge('status')).stdout
  expect(
    [...status.matchAll(/^(\w+) +(active|open|paused|failing) /gm)].map(([, id, state]) => [id, state]),
  ).toEqual(
    expect.arrayContaining([
      ['open', 'failing'],
      ['paused', 'paused'],
      ['failing', 'failing'],
      ['well', 'active'],
    ]),
  )
  expect(status).toMatch(/^open: breaker open since /m)
  expect(status).toMatch(/^paused: paused, as it asked, until /m)
  expect(status).toMatch(/^failing: no success since .*, 12 failures in a row\.$/m)
  expect(status).not.toMatch(/^well: /m)
  const findings = findingsOf(await bridge('doctor --json'))
  expect(
    findings
      .filter(({ check, outcome }) => check === 'endpoint' && outcome === 'warning')
      .map(({ of }) => of),
  ).toEqual(['failing', 'open', 'paused'])
  expect(textOf(findings, 'endpoint', 'open')).toMatch(/^breaker open since /)
})
