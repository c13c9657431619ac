/** Orders by a text as the table does: by code unit, which for keys of ASCII is by byte. */
export const byText =
  <T>(textOf: (item: T) => string) =>
  (a: T, b: T): number => {
    const [left, right] = [textOf(a), textOf(b)]
    return left === right ? 0 : left < right ? -1 : 1
  }
