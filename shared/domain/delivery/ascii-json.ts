const beyondAscii = /[^ -~]/
const beyondAsciiRuns = /[^ -~]+/g

/**
 * JSON text of printable ASCII only: every other UTF-16 unit is written as \uXXXX, a surrogate pair as two of them.
 * SQS and its emulators refuse some characters (DESIGN.md, section 4, "Queue bodies"). What JSON has no text for,
 * as undefined, is null.
 */
export const toAsciiJson = (value: unknown): string => {
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) return 'null'
  return beyondAscii.test(json) ? json.replace(beyondAsciiRuns, escaped) : json
}

const escaped = (run: string): string => {
  let text = ''
  for (let index = 0; index < run.length; index += 1) {
    text += `\\u${run.charCodeAt(index).toString(16).padStart(4, '0')}`
  }
  return text
}
