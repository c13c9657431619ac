const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
type Unit = keyof typeof unitsMs

const form = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h|d)$/
const isUnit = (text: string | undefined): text is Unit => text !== undefined && Object.hasOwn(unitsMs, text)

/** What a person may write for a duration. */
export const durationForms = 'a number with its unit, as 500ms, 1s, 5m, 2h or 1d'

/** Milliseconds of `500ms`, `1.5s`, `5m`, `2h`, `1d`, rounded; null for anything else: a number alone could be either. */
export const parseDuration = (text: string): number | null => {
  const [, amount, unit] = form.exec(text.trim()) ?? []
  return isUnit(unit) ? Math.round(Number(amount) * unitsMs[unit]) : null
}

/** Milliseconds for a person, short: `850 ms`, `2.1 s`, `4 min`, `3.5 h`. */
export const showDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 2 * 86_400_000) return `${(ms / 3_600_000).toFixed(1)} h`
  return `${Math.round(ms / 86_400_000)} d`
}
