import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))

/** What a file imports: paths from the root for its own modules, names for packages. */
const importsOf = (file: string): string[] => {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([\w@./:-]+)'/g)].map(
    match => match[1] ?? '',
  )
  return specifiers.map(name =>
    name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name,
  )
}

/** A file without its comments. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')

const breaches = (folder: string, allowed: (imported: string) => boolean): string[] =>
  filesBelow(folder).flatMap(file =>
    importsOf(file)
      .filter(imported => !allowed(imported))
      .map(imported => `${file} imports ${imported}`),
  )

/** Pure computation, whatever the machine: no network, no files, no clock. */
const pureModules = ['node:crypto', 'node:url', 'node:net']
const pureLibraries = ['zod', 'ulid', 'tldts', '@haraka/email-address', 'ipaddr.js']

describe('the layers', () => {
  test('the domain imports itself and pure libraries, and nothing that speaks to the world', () => {
    const allowed = (imported: string) =>
      imported.startsWith('shared/domain/') ||
      pureModules.includes(imported) ||
      pureLibraries.includes(imported)
    expect(breaches('shared/domain', allowed)).toEqual([])
  })

  test('the domain reads no clock, no environment and no randomness of its own', () => {
    const own =
      /\bDate\.now\(|new Date\(\)|performance\.now\(|process\.|Math\.random\(|randomUUID|randomBytes|set(?:Timeout|Interval|Immediate)\(/
    const found = filesBelow('shared/domain').filter(file => own.test(codeOf(file)))
    expect(found).toEqual([])
  })

  test('adapters import the domain, each other and packages, never what composes them', () => {
    expect(breaches('shared/adapters', imported => !/^(functions|infra|test)\//.test(imported))).toEqual([])
  })

  test('a function imports the domain, and adapters only in its index and its config', () => {
    const handlers = (imported: string) => !/^(infra|test)\//.test(imported)
    expect(breaches('functions', handlers)).toEqual([])
    const inHandlers = filesBelow('functions')
      .filter(file => !file.endsWith('/index.ts') && !file.endsWith('/config.ts'))
      .flatMap(importsOf)
      .filter(imported => imported.startsWith('shared/adapters/'))
    expect(inHandlers).toEqual([])
  })

  test('zod is imported as a namespace, of which a bundle takes only what is used: a third of its size', () => {
    const found = ['functions', 'infra', 'shared'].flatMap(filesBelow).filter(file => {
      const text = readFileSync(join(root, file), 'utf8')
      return /import (?:type )?\{[^}]*\} from 'zod'/.test(text)
    })
    expect(found).toEqual([])
  })

  test('the simulator shares words with the bridge that it tests, and no rules', () => {
    const words = ['shared/domain/source.ts', 'shared/domain/bridge-error.ts']
    const allowed = (imported: string) =>
      words.includes(imported) || !/^(functions|shared|test|infra\/(?!simulator\/))/.test(imported)
    expect(breaches('infra/simulator', allowed)).toEqual([])
  })

  test('the top-level folders are infra, functions, shared and test', () => {
    const ignored = new Set(['node_modules', 'cdk.out', 'coverage'])
    const folders = readdirSync(root, { withFileTypes: true })
      .filter(entry => entry.isDirectory() && !entry.name.startsWith('.') && !ignored.has(entry.name))
      .map(entry => entry.name)
    expect(folders.sort()).toEqual(['functions', 'infra', 'shared', 'test'])
  })
})
