import * as z from 'zod'

/** What a world is started with. */
export const worldSettingsSchema = z.object({
  secret: z.string().startsWith('whsec_'),
  /** Records a second, of both lists together; and those that are there before the start. */
  rate: z.number(),
  backlog: z.number(),
  /** Requests a minute that the service allows; 0: no limit. */
  rateLimit: z.number(),
  /** How long the receiver takes for its answer. */
  answerAfterMs: z.number(),
  /** Whether each record's times are asked for at the end. */
  tellsRecords: z.boolean(),
})
export type WorldSettings = z.infer<typeof worldSettingsSchema>

export const worldReadySchema = z.object({
  url: z.string(),
  token: z.string(),
  receiver: z.string(),
  /** Records that both lists show at the start. */
  visible: z.number(),
})
export type WorldReady = z.infer<typeof worldReadySchema>

/** When a record became visible, and when its event arrived: Unix milliseconds. */
const recordTimesSchema = z.object({ visibleAtMs: z.number(), arrivedAtMs: z.number().nullable() })
export type RecordTimes = z.infer<typeof recordTimesSchema>

export const worldReportSchema = z.object({
  /** Records whose event arrived, and all POSTs. */
  arrived: z.number(),
  posts: z.number(),
  lastAtMs: z.number(),
  /** When the service was asked, oldest first. */
  requestedAtMs: z.array(z.number()),
  /** Requests beyond the service's limit. */
  refused: z.number(),
  records: z.array(recordTimesSchema),
})
export type WorldReport = z.infer<typeof worldReportSchema>
