import type { Scheduler } from '../engine/scheduler.ts'

/** All recipients of the simulation are here, and nobody else is. */
const recipientsDomain = 'example.com'
/** How an @ is written in JSON, a URL and HTML. */
const ats = ['@', '%40', '\\u0040', '&#64;', '&#x40;']

/** In the notations in which it may get into a line: as it is, what it encodes, and what encodes it. */
const notationsOfSecret = (secret: string): string[] => {
  const plain = secret.replace(/^whsec_/, '')
  return [
    plain,
    encodeURIComponent(plain),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    hexOf(secret),
  ]
}
const hexOf = (text: string): string => Buffer.from(text).toString('hex')

/** Invariant 7: no secret, and no recipient's address, in a log line, a metric, an error, or what is kept of an answer. */
export const createLeakRule = (deps: { scheduler: Scheduler; secrets: ReadonlyMap<string, string> }) => {
  const addresses = ats.map(at => `${at}${recipientsDomain}`)
  let known = -1
  let notations: { what: string; text: string }[] = []

  const all = (): typeof notations => {
    if (known === deps.secrets.size) return notations
    known = deps.secrets.size
    notations = [...deps.secrets].flatMap(([name, secret]) =>
      notationsOfSecret(secret).map(text => ({ what: `the secret ${name}`, text })),
    )
    for (const text of addresses) notations.push({ what: 'a recipient’s address', text })
    return notations
  }

  return {
    search: (text: string, where: string): void => {
      const found = all().find(notation => text.includes(notation.text))
      if (found !== undefined) deps.scheduler.violate(`7: ${found.what} is in ${where}`)
    },
  }
}

export type LeakRule = ReturnType<typeof createLeakRule>

/** All that an error says when it is printed: its own words, its fields, and those of its causes. */
export const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? ''
  const fields = JSON.stringify({ ...error, cause: undefined })
  return [
    error.name,
    error.message,
    error.stack,
    fields,
    error.cause === undefined ? '' : wordsOf(error.cause),
  ].join('\n')
}
