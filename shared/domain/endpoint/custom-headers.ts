/** Header lines of an endpoint. */
export const customHeadersMax = 20
/** All of them as they are sent: with the authorization's bound they stay within the 8 KiB that many servers take. */
export const customHeadersBytesMax = 4_096
/** ": " and the end of the line. */
const bytesAroundValue = 4

/** A token (RFC 9110, section 5.6.2). */
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible ASCII, with blanks within (RFC 9110, section 5.5, without what is obsolete there). */
const valuePattern = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/
/** A longer name is not quoted in a problem. */
const shownNameCharsMax = 64

/** Ours, those of one connection, and those that say how the body is to be read. */
const reservedNames: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])
const reservedPrefixes = ['webhook-', 'proxy-'] as const

export type CustomHeaders =
  | { kind: 'headers'; headers: Readonly<Record<string, string>> }
  | { kind: 'invalid'; problems: readonly string[] }

/**
 * What an endpoint's headers may be, each as a name and a value; names become lower case. All problems at once, and none
 * of them tells a value, which may be a secret. Pure.
 */
export const checkCustomHeaders = (
  given: readonly (readonly [name: string, value: string])[],
): CustomHeaders => {
  const lowered = given.map(([name, value]) => [name.toLowerCase(), value] as const)
  const names = lowered.map(([name]) => name)
  const bytes = lowered.reduce((sum, [name, value]) => sum + name.length + value.length + bytesAroundValue, 0)
  const problems = [
    ...lowered.flatMap(([name, value]) => problemOf(name, value) ?? []),
    ...names.flatMap((name, at) =>
      names.indexOf(name) < at ? [`the header ${shown(name)} is given twice`] : [],
    ),
    ...(given.length > customHeadersMax ? [`there are over ${customHeadersMax} headers`] : []),
    ...(bytes > customHeadersBytesMax
      ? [`the headers have over ${customHeadersBytesMax} bytes together`]
      : []),
  ]
  return problems.length > 0
    ? { kind: 'invalid', problems: [...new Set(problems)] }
    : { kind: 'headers', headers: Object.fromEntries(lowered) }
}

/** A header as curl takes it, `name: value`; null where there is no colon. */
export const splitHeaderLine = (line: string): readonly [name: string, value: string] | null => {
  const colon = line.indexOf(':')
  return colon === -1 ? null : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}

/** Those that may be sent; the table may hold others, which somebody wrote by hand. */
export const sendableHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => problemOf(name, value) === null),
  )

const problemOf = (name: string, value: string): string | null => {
  // To JavaScript the last one is no name like others.
  if (!namePattern.test(name) || name === '__proto__') return `${shown(name)} is no name of a header`
  if (name === 'authorization')
    return 'authorization is no header of these: bridge endpoint authorization sets it, as a secret'
  if (reservedNames.has(name) || reservedPrefixes.some(prefix => name.startsWith(prefix)))
    return `the header ${shown(name)} is the bridge's own`
  if (value === '') return `the header ${shown(name)} has no value`
  return valuePattern.test(value) ? null : `the value of the header ${shown(name)} is not visible ASCII`
}

/** Quoted as JSON where it is no token: it may hold what a terminal acts on. */
const shown = (name: string): string => {
  const short = name.length > shownNameCharsMax ? `${name.slice(0, shownNameCharsMax)}…` : name
  return namePattern.test(name) ? short : JSON.stringify(short.replace(/[^ -~…]/g, '?'))
}
