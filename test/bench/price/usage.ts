/** What a run used of AWS, in the units that are billed. */
export type Usage = {
  sqsRequests: number
  /** Of these, those with messages that have a group: they cost more. */
  sqsFairRequests: number
  writeUnits: number
  readUnits: number
  /** By which the table and its index grew, with the overhead that storage is billed with. */
  tableBytes: number
  secretReads: number
  /** Calls of any API of AWS: each takes its time, which Lambda bills. */
  calls: number
  invocations: number
  gbSeconds: number
  scheduled: number
  /** With CloudWatch's own overhead of a line. */
  logBytes: number
}

export const noUsage: Usage = {
  sqsRequests: 0,
  sqsFairRequests: 0,
  writeUnits: 0,
  readUnits: 0,
  tableBytes: 0,
  secretReads: 0,
  calls: 0,
  invocations: 0,
  gbSeconds: 0,
  scheduled: 0,
  logBytes: 0,
}

const combine = (one: Usage, other: Usage, by: (one: number, other: number) => number): Usage => ({
  sqsRequests: by(one.sqsRequests, other.sqsRequests),
  sqsFairRequests: by(one.sqsFairRequests, other.sqsFairRequests),
  writeUnits: by(one.writeUnits, other.writeUnits),
  readUnits: by(one.readUnits, other.readUnits),
  tableBytes: by(one.tableBytes, other.tableBytes),
  secretReads: by(one.secretReads, other.secretReads),
  calls: by(one.calls, other.calls),
  invocations: by(one.invocations, other.invocations),
  gbSeconds: by(one.gbSeconds, other.gbSeconds),
  scheduled: by(one.scheduled, other.scheduled),
  logBytes: by(one.logBytes, other.logBytes),
})

export const plus = (...usages: readonly Usage[]): Usage =>
  usages.reduce((sum, usage) => combine(sum, usage, (one, other) => one + other), noUsage)

export const minus = (one: Usage, other: Usage): Usage => combine(one, other, (a, b) => a - b)

export const times = (usage: Usage, factor: number): Usage => combine(usage, noUsage, one => one * factor)
