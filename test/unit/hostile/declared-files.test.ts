import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readDeclared } from '../../../infra/cli/declared/read-file.ts'
import { anyText, anyValueText, depthMax, inherited, nestedText } from './hostile-json.ts'
import { markers, markersIn } from './markers.ts'

const secretText = fc.constantFrom(...Object.values(markers))

describe('a file of declarations', () => {
  const name = fc.constantFrom('main', 'crm', '__proto__', 'constructor', 'a b', '-', '"x"', '? y', '<<')
  const key = fc.constantFrom(
    ...[
      'url',
      'types',
      'token',
      'secret',
      'headers',
      'authorization',
      'start-at',
      'page-size',
      'paused',
      'sources',
    ],
    ...['max-per-second', 'heartbeat-every', 'recipient-domains', 'same-url', '__proto__'],
  )
  const value = fc.oneof(
    secretText,
    secretText.map(text => JSON.stringify(text)),
    secretText.map(
      text => `https://user:${encodeURIComponent(text)}@example.com/${encodeURIComponent(text)}`,
    ),
    secretText.map(text => `{ X-Key: "${text}" }`),
    fc.constantFrom(
      'yes',
      '1',
      '1e400',
      '-0',
      '.nan',
      '.inf',
      '~',
      '*',
      '*a',
      '&a [x]',
      '!!binary aGk=',
      '!!js/function x',
      '|\n',
      '2026-11-20',
      '0x1F',
      '[[[',
      '{',
      '"',
      "'",
      '%',
      '@',
      '`',
    ),
    anyValueText,
    anyText.map(text => JSON.stringify(text)),
  )
  const setting = fc.tuple(key, value).map(([of, is]) => `    ${of}: ${is}\n`)
  const section = fc
    .tuple(
      fc.constantFrom('sources', 'endpoints', 'version', 'endpoint'),
      name,
      fc.array(setting, { maxLength: 4 }),
    )
    .map(([title, id, settings]) => `${title}:\n  ${id}:\n${settings.join('')}`)
  const file = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.array(section, { maxLength: 3 }).map(sections => `version: 1\n${sections.join('')}`),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 1, arbitrary: anyValueText },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '- '.repeat(depthMax),
        nestedText(depthMax),
        '{a: '.repeat(depthMax),
        `a: &a [${'*a,'.repeat(99)}*a]`,
        '? '.repeat(depthMax),
        `${'  '.repeat(500)}x`,
        '\t',
      ),
    },
  )

  test('of any text is declared, or refused with its problems, which tell no value', async () => {
    const before = inherited()
    const kinds = new Set<string>()
    const warned: unknown[] = []
    const onWarning = (warning: unknown) => warned.push(warning)
    process.on('warning', onWarning)
    onTestFinished(() => void process.off('warning', onWarning))
    fc.assert(
      fc.property(file, text => {
        const read = readDeclared(text)
        kinds.add(read.kind)
        if (read.kind === 'declared') return
        expect(read.problems.length).toBeGreaterThan(0)
        const told = read.problems.map(problem => problem.text).join('\n')
        expect(markersIn(told)).toEqual([])
        expect(told).not.toMatch(/^\s+at /m)
      }),
      { numRuns: 400 },
    )
    expect(inherited()).toEqual(before)
    expect([...kinds].sort()).toEqual(['declared', 'invalid'])
    // Warnings are told in a turn of their own.
    await new Promise(resolve => setImmediate(resolve))
    expect(warned).toEqual([])
  }, 30_000)

  test('regression: a key that is a map, whose text has values in it, is told neither as a problem nor as a warning', () => {
    const read = readDeclared(`version: 1\nsources:\n  ? token: "${markers.token}"\n  : { url: x }\n`)
    expect(read).toMatchObject({ kind: 'invalid' })
    expect(markersIn(JSON.stringify(read))).toEqual([])
  })

  test('regression: a file that is nested deeper than any stack is refused by a problem of its own', () => {
    for (const text of ['- '.repeat(depthMax), nestedText(depthMax), '{a: '.repeat(depthMax)]) {
      expect(readDeclared(text)).toEqual({
        kind: 'invalid',
        problems: [{ line: null, text: 'is nested too deep' }],
      })
    }
  })
})
