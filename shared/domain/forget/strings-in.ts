/** A message holds its event's JSON as text: texts that are JSON again are looked into so deep. */
const nestedMax = 3

/** All texts in a JSON value, keys included, and those in texts that are JSON themselves. Not recursive: depth is free. */
export function* stringsIn(value: unknown): Generator<string> {
  const open: { value: unknown; nested: number }[] = [{ value, nested: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: found, nested } = next
    if (typeof found === 'string') {
      yield found
      if (nested < nestedMax && /^\s*[[{"]/.test(found))
        open.push({ value: parsed(found), nested: nested + 1 })
    } else if (typeof found === 'object' && found !== null) {
      for (const [key, inner] of Object.entries(found)) {
        yield key
        open.push({ value: inner, nested })
      }
    }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
