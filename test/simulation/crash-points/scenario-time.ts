import { minuteMs } from '../../../shared/domain/time-units.ts'
import { startMs } from '../plan/start.ts'

export const sourceId = 'main'

/** The scenario's clock: minutes since its start. */
export const atMs = (minutes: number): number => startMs + minutes * minuteMs
export const atSecond = (minutes: number): number => Math.floor(atMs(minutes) / 1_000)
