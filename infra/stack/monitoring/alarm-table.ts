import type { AlarmRow, AlarmSettings } from './alarm-row.ts'
import { deliveryAlarms } from './delivery-alarms.ts'
import { platformAlarms } from './platform-alarms.ts'
import { pollingAlarms } from './polling-alarms.ts'

/** Every alarm of the stack. */
export const alarmTable = (settings: AlarmSettings): readonly AlarmRow[] => [
  ...pollingAlarms(settings),
  ...deliveryAlarms(),
  ...platformAlarms(settings),
]

/** What CloudWatch asks money for: each metric of each alarm. */
export const alarmMetricCount = (rows: readonly AlarmRow[]): number =>
  rows.reduce((sum, { metrics }) => sum + Object.keys(metrics).length, 0)
