import { isMap, isNode, isScalar, LineCounter, type Pair, parseDocument, type YAMLParseError } from 'yaml'
import type * as z from 'zod'
import { nearestName } from '../../../shared/domain/nearest-name.ts'
import { type Declared, endpointSchema, fileSchema, sourceSchema } from './file-schema.ts'

/** What is wrong, with its line where one can be named. Never a value: a token may have got there by mistake. */
export type FileProblem = { line: number | null; text: string }

export type ReadDeclared =
  | { kind: 'declared'; declared: Declared }
  | { kind: 'invalid'; problems: readonly FileProblem[] }

type Path = readonly PropertyKey[]
/** Where a part of the file is written: where it is not there, the nearest part around it. */
type Find = (path: Path) => { line: number | null; isThere: boolean }

/** More aliases than a file for people has: each may stand for much (YAML 1.2, section 7.1). */
const aliasesMax = 100

/** Reads a file as a whole: all of its problems at once, in the order of their lines. */
export const readDeclared = (text: string): ReadDeclared => {
  const lines = new LineCounter()
  // Its pretty errors would quote the file, and so would warnings, which go to stderr by themselves.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
  const flaws = [...document.errors, ...document.warnings]
  // The library catches what its own recursion throws, as many errors.
  if (flaws.some(({ message }) => /stack/i.test(message))) {
    return invalid([{ line: null, text: 'is nested too deep' }])
  }
  if (flaws.length > 0) {
    return invalid(flaws.map(flaw => ({ line: lines.linePos(flaw.pos[0]).line, text: flawText(flaw) })))
  }
  const find: Find = path => findIn(document.contents, path, lines)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: aliasesMax })
  } catch {
    return invalid([{ line: null, text: `has more than ${aliasesMax} aliases, or one that leads to itself` }])
  }
  if (value === null || value === undefined) return invalid([{ line: null, text: 'is empty' }])
  const read = fileSchema.safeParse(value)
  const problems = [
    ...(read.error?.issues ?? []).flatMap(issue => problemsOf(issue, find)),
    ...(read.success ? sameUrls(read.data, find) : []),
  ]
  if (!read.success || problems.length > 0) return invalid(problems)
  return { kind: 'declared', declared: read.data }
}

const invalid = (problems: readonly FileProblem[]): ReadDeclared => ({
  kind: 'invalid',
  problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
})

/** The library's own messages quote names out of the file for a few codes alone. */
const flawText = ({ code, message }: Pick<YAMLParseError, 'code' | 'message'>): string => {
  if (code === 'BAD_ALIAS') return 'what begins with * must stand in quotes, as "*"'
  if (code === 'DUPLICATE_KEY') return 'is there already: each id and each setting once'
  if (code === 'TAG_RESOLVE_FAILED') return 'has a tag (!…) that means nothing here'
  return /["'`]/.test(message) ? `is no YAML (${code})` : `is no YAML: ${message}`
}

const problemsOf = (issue: z.core.$ZodIssue, find: Find): FileProblem[] => {
  const at = (path: Path, text: string): FileProblem => ({
    line: find(path).line,
    text: `${nameOf(path)}${text}`,
  })
  if (issue.code === 'unrecognized_keys') {
    const known = settingsAt(issue.path)
    return issue.keys.map(key => {
      const near = nearestName(key, known)
      const hint = near === null ? `; there are ${known.join(', ')}` : `; is ${near} meant?`
      return at([...issue.path, key], `is no setting here${hint}`)
    })
  }
  if (issue.code === 'invalid_key') return [at(issue.path, issue.issues[0]?.message ?? 'is no id')]
  return [at(issue.path, find(issue.path).isThere ? messageOf(issue) : 'is missing')]
}

const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && issue.expected === 'object' ? 'must have settings below it' : issue.message

const settingsAt = ([section, id]: Path): string[] => {
  if (id === undefined) return Object.keys(fileSchema.shape)
  return Object.keys(section === 'sources' ? sourceSchema.shape : endpointSchema.shape)
}

const nameOf = (path: Path): string => (path.length === 0 ? '' : `${path.map(keyText).join('.')}: `)

/** A list or a map may be a key as well, and then its text has values in it. */
const keyText = (key: PropertyKey): string => (/^[\w .-]{1,64}$/.test(String(key)) ? String(key) : '(a key)')

const sameUrls = ({ endpoints }: Declared, find: Find): FileProblem[] => {
  const first = new Map<string, string>()
  return Object.entries(endpoints ?? {}).flatMap(([id, endpoint]) => {
    const url = URL.parse(endpoint.url)?.href ?? endpoint.url
    const other = first.get(url)
    if (other === undefined) first.set(url, id)
    if (other === undefined || endpoint['same-url'] === true) return []
    const path = ['endpoints', id, 'url']
    const why = `the endpoint ${other} has it too, and the customer would get what both match twice`
    return [{ line: find(path).line, text: `${nameOf(path)}${why}; if two are meant, add same-url: true` }]
  })
}

const findIn = (contents: unknown, path: Path, lines: LineCounter): ReturnType<Find> => {
  let node: unknown = contents
  let offset = isNode(node) ? node.range?.[0] : undefined
  let isThere = true
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(item => keyOf(item) === String(part)) : undefined
    // What is wrong within a list is told at the list.
    if (pair === undefined) {
      isThere = !isMap(node)
      break
    }
    offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset
    node = pair.value
  }
  return { line: offset === undefined ? null : lines.linePos(offset).line, isThere }
}

const keyOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key)
