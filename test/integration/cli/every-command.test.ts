import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { entries } from '../../../infra/cli/entries.ts'
import { hashOf } from './held-quarantine.ts'
import { holdAll, laptop, text, token } from './something-of-everything.ts'

const secretForm = /whsec_[A-Za-z0-9+/=]{8,}/

const paths = entries.flatMap(entry =>
  entry.kind === 'command' ? [entry.name] : entry.commands.map(({ name }) => `${entry.name} ${name}`),
)
const pathOf = (line: string): string => paths.find(path => `${line} `.startsWith(`${path} `)) ?? line

type World = Awaited<ReturnType<typeof holdAll>>

/** In this order: each command once or more, with the exit code that it ends with, and what is piped in. */
const linesOf = ({ customer, ids, of }: World): [string, number, string?][] => [
  [`endpoint add ${customer.url}/crm --id crm ${laptop}`, 0],
  ['source add second --url http://127.0.0.1:9 --paused', 0, token],
  ['endpoint list', 0],
  ['endpoint show crm', 0],
  ['endpoint update crm --types email.bounce.* --dry-run', 0],
  ['endpoint update crm --types email.bounce.*', 0],
  [`endpoint test crm ${laptop}`, 0],
  ['source list', 0],
  ['source show main', 0],
  ['source update main --requests-per-minute 1000', 0],
  ['source rewind main --to 1h --stream bounces', 0],
  ['source token second', 0, token],
  ['status', 0],
  ['doctor', 1],
  ['events list', 0],
  [`events show ${ids.dead}`, 0],
  ['events export --format ndjson', 0],
  ['deliveries list', 0],
  [`deliveries show ${ids.dead} crm`, 0],
  ['quarantine list', 0],
  [`quarantine show ${hashOf(text)}`, 0],
  ['dlq list', 0],
  ['dlq list --unreadable', 0],
  [`dlq show ${ids.dead}`, 0],
  ['dlq replay --all --dry-run', 0],
  ['dlq purge --all --dry-run', 0],
  ['recover --endpoint crm --since 2h --dry-run', 0],
  ['audit --since 2h', 0],
  ['forget --recipient jo@a.example --dry-run', 0],
  ['export', 0],
  [`apply --file ${of('bridge.json')} --dry-run`, 0],
  ['completion zsh', 0],
  // What changes things.
  [`apply --file ${of('bridge.json')}`, 0],
  ['deliveries retry --state waiting --yes', 0],
  ['quarantine retry --all', 0],
  ['quarantine drop --all --yes', 0],
  ['dlq replay --all', 0],
  ['dlq purge --all --yes', 0],
  ['recover --endpoint crm --since 2h', 0],
  ['audit --since 2h --repair', 0],
  ['forget --recipient jo@a.example --yes', 0],
  ['endpoint rotate-secret crm --overlap 24h', 0],
  ['endpoint authorization crm --bearer', 0, token],
  ['endpoint disable crm', 0],
  ['endpoint enable crm --release', 0],
  ['endpoint remove crm --yes', 0],
  ['source pause main', 0],
  ['source resume main', 0],
  ['source remove second --yes', 0],
]

/** They show a secret that they have just made, and nobody else does. */
const showsSecret = /^endpoint (add|rotate-secret) /
/** It ends by itself only after so many events; it has a test of its own. */
const followed = 'events tail'

test('every command with --json writes one JSON document and nothing else, and no secret that it did not make', {
  timeout: 120_000,
}, async () => {
  await using world = await holdAll()
  const exported = await world.run('export --json')
  writeFileSync(world.of('bridge.json'), exported.stdout)
  const lines = linesOf(world)
  expect(new Set([...lines.map(([line]) => pathOf(line)), followed])).toEqual(new Set(paths))
  const codes: unknown[] = []
  const documents: unknown[] = []
  for (const [line, , stdin] of lines) {
    const isRows = line.includes('ndjson')
    const ran = await world.run(isRows ? line : `${line} --json`, stdin)
    codes.push([line, ran.code])
    const parts = isRows ? ran.stdout.trimEnd().split('\n') : [ran.stdout]
    for (const part of parts) documents.push(typeof JSON.parse(part))
    const said = `${ran.stdout}${ran.stderr}`
    for (const hidden of [token, '\u001b']) expect([line, said.includes(hidden)]).toEqual([line, false])
    expect([line, secretForm.test(said)]).toEqual([line, showsSecret.test(line)])
  }
  expect(codes).toEqual(lines.map(([line, code]) => [line, code]))
  expect(new Set(documents)).toEqual(new Set(['object']))
})

test('every command without --json writes text, and no secret that it did not make', {
  timeout: 120_000,
}, async () => {
  await using world = await holdAll()
  writeFileSync(world.of('bridge.json'), (await world.run('export --json')).stdout)
  for (const [line, code, stdin] of linesOf(world)) {
    const ran = await world.run(line, stdin)
    expect([line, ran.code]).toEqual([line, code])
    const said = `${ran.stdout}${ran.stderr}`
    expect([line, ran.stdout.trim() === '']).toEqual([line, false])
    for (const hidden of [token, '\u001b']) expect([line, said.includes(hidden)]).toEqual([line, false])
    expect([line, secretForm.test(said)]).toEqual([line, showsSecret.test(line)])
  }
})
