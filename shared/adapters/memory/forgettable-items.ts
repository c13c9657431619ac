import type { Forgettable, ForgettableItems } from '../../domain/forget/forgettable-items.ts'
import type { ForgetfulEventLog } from './event-log.ts'
import type { ForgetfulQuarantine } from './quarantine.ts'

/** What may be forgotten, in memory: one page. */
export const createMemoryForgettableItems = (of: {
  log: ForgetfulEventLog
  quarantine: ForgetfulQuarantine
}): ForgettableItems => ({
  page: async () => {
    const events = of.log.all().filter(({ body }) => body !== null)
    const items: Forgettable[] = [
      ...events.map(event => ({ kind: 'event', event }) as const),
      ...of.quarantine
        .all()
        .map(({ text: _text, ...head }) => ({ kind: 'quarantined', head: { ...head, parts: 1 } }) as const),
    ]
    return { items, after: null }
  },
  forgetEvent: async (key, atMs) => of.log.forget(key, atMs),
  forgetQuarantined: async head => of.quarantine.forget(head),
})
