/** An event's body as JSON; null where it is none. */
export const parsedBody = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
