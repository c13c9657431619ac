/** What an endpoint is like for a while. */
export const moodKinds = ['well', 'flaky', 'slow', 'errs', 'hangs', 'refuses', 'throttles', 'gone'] as const
export type Mood = (typeof moodKinds)[number]

/** Each until its time, in order; then well. */
export type Moods = { readonly phases: readonly { untilMs: number; mood: Mood }[]; healedAtMs: number }

export const moodAt = ({ phases, healedAtMs }: Moods, nowMs: number): Mood =>
  nowMs >= healedAtMs ? 'well' : (phases.find(({ untilMs }) => nowMs < untilMs)?.mood ?? 'well')
