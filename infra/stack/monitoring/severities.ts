/** What an alarm asks for; its name says it, so that mail can be sorted by it. */
export const severities = {
  page: 'Somebody must act now: events are not flowing, or may soon be lost.',
  ticket: 'Somebody must act in working hours: something is wrong, and days are left.',
  notice: 'Nobody must act: look at it when you pass.',
} as const

export type Severity = keyof typeof severities
