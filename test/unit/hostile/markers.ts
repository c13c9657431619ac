/** Planted in what the hostile runs are given: none of them may be found in a line, a metric or an error. */
export const markers = {
  /** Its characters are those that the encodings change. */
  token: 'Pl4nted/t0ken+of=the~source%25&more',
  signingSecret: 'whsec_UGw0bnRlZC9zZWNyZXQrdGhhdD1zaWducyEhMDEyMzQ=',
  recipient: 'planted.recipient+tag@hostile-people.example',
  authorization: 'Pl4nted:authorizat1on/of+the=endpoint',
} as const

/** Each character as `\u0040`, as JSON and JavaScript have it. */
export const jsonEscaped = (text: string, which: RegExp = /[\s\S]/g): string =>
  text.replace(which, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const htmlEscaped = (text: string): string =>
  text.replace(/[^\w.]/g, char => `&#${char.charCodeAt(0)};`)

/**
 * The characters of a text's base64 that are the same wherever the text stands in what was encoded: it may begin at any
 * of three places within a group, and its ends are mixed with what is beside it.
 */
const base64Parts = (text: string): string[] => {
  const bytes = Buffer.from(text)
  return [0, 1, 2].map(offset => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return padded.slice(Math.ceil((offset * 8) / 6) + 1, -2)
  })
}

/** A text in every notation in which it may stand in another one. */
export const notationsOfMarker = (text: string): string[] => {
  const inUrl = encodeURIComponent(text)
  const base64 = base64Parts(text)
  return [
    text,
    inUrl,
    encodeURI(text),
    new URLSearchParams({ a: text }).toString().slice(2),
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
    jsonEscaped(text),
    jsonEscaped(text, /[^\w]/g),
    jsonEscaped(text, /[@+/&=]/g),
    jsonEscaped(text, /@/g),
    htmlEscaped(text),
    text.replace('@', '&#64;'),
    text.replace('@', '&#x40;'),
    Buffer.from(text).toString('hex'),
    ...base64,
    ...base64.map(part => part.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map(encodeURIComponent),
  ].map(notation => notation.toLowerCase())
}

const searched = Object.entries(markers).flatMap(([name, text]) =>
  [...new Set(notationsOfMarker(text))].map(notation => ({ name, notation })),
)

/** The names of the markers that a text holds, in any notation and in any case of its letters. */
export const markersIn = (text: string): string[] => {
  const lower = text.toLowerCase()
  return [
    ...new Set(searched.filter(({ notation }) => lower.includes(notation)).map(({ name }) => name)),
  ].sort()
}

/** All that an error says when it is printed: its own words, its fields, and those of its causes. */
export const wordsOfError = (error: unknown): string => {
  const words: string[] = []
  for (let at = error, depth = 0; at !== undefined && depth < 10; depth += 1) {
    if (!(at instanceof Error)) {
      words.push(typeof at === 'string' ? at : (JSON.stringify(at) ?? ''))
      break
    }
    words.push(at.name, at.message, at.stack ?? '')
    for (const [key, value] of Object.entries(at)) {
      if (key !== 'cause') words.push(`${key}: ${JSON.stringify(value) ?? ''}`)
    }
    at = at.cause
  }
  return words.join('\n')
}
