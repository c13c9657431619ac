/** A record's value by its key: only its own, so that `__proto__` or `constructor` never answer for a field. */
export const fieldOf = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

/** A field's text as it is; null where it is missing, blank, or no text (field notes, "missing or null field"). */
export const textOf = (value: Readonly<Record<string, unknown>>, key: string): string | null => {
  const field = fieldOf(value, key)
  return typeof field === 'string' && field.trim() !== '' ? field : null
}
