import { createHash } from 'node:crypto'

/** A name that the same command has again, whatever the order of what it was given; how fast it goes is no part of it. */
export const planNameOf = (
  kind: 'replay' | 'recover' | 'purge',
  asked: Readonly<Record<string, unknown>>,
): string => {
  const given = Object.entries(asked)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `${kind}-${createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 32)}`
}
