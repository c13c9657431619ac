import type { CrashPoint } from './run.ts'

/** A row of the table: calls of one function that are the same to whoever looks. */
export type Group = {
  process: string
  /** What the function is about, in words. */
  about: string
  calls: readonly string[]
}

const group = (process: string, about: string, ...calls: string[]): Group => ({ process, about, calls })

/** In the order in which a function makes them. An operator's command is one row: it is given again as a whole. */
export const groups: readonly Group[] = [
  group('poller', 'begins its run, takes the lease', 'sources', 'take lease'),
  group('poller', 'reads a cursor', 'cursor main', 'cursor sweep-hour', 'cursor sweep-days'),
  group('poller', 'asks the service for a page', 'GET bounces', 'GET complaints'),
  group('poller', 'asks the log what is known', 'idsInRange', 'existing'),
  group('poller', 'looks in the log for an anchor', 'newestOfDay'),
  group('poller', 'keeps a record in quarantine', 'quarantine'),
  group('poller', 'looks at its lease before it sends', 'holds lease'),
  group('poller', 'lists the endpoints', 'endpoints'),
  group('poller', 'marks what reconcile is to compare', 'mark'),
  group('poller', 'sends a page’s messages', 'send'),
  group('poller', 'writes a page’s events to the log', 'record'),
  group('poller', 'commits a cursor', 'commit main'),
  group('poller', 'commits a sweep’s cursor', 'commit sweep-hour', 'commit sweep-days'),
  group('poller', 'leaves its spending with the lease', 'renew lease'),
  group('dispatcher', 'reads the deliveries of its batch', 'readMany', 'read'),
  group('dispatcher', 'reads endpoints', 'endpoints', 'endpoint'),
  group('dispatcher', 'reads a secret', 'secret'),
  group('dispatcher', 'reads what is taken of limits', 'pace'),
  group('dispatcher', 'takes of a limit, or gives back', 'write pace'),
  group('dispatcher', 'POSTs an event', 'POST'),
  group('dispatcher', 'writes: delivered', 'write delivered'),
  group('dispatcher', 'writes: waiting', 'write waiting'),
  group('dispatcher', 'sends the next attempt, or to the slow lane', 'send'),
  group('dispatcher', 'writes: held', 'write held'),
  group('dispatcher', 'writes: dead', 'write dead'),
  group('dispatcher', 'sends the dead letter’s copy', 'send dead'),
  group('dispatcher', 'disables an endpoint after 410', 'set disabled'),
  group('dispatcher', 'marks an endpoint slow', 'setSlow'),
  group('dispatcher', 'writes health: breaker, probe', 'writeHealth'),
  group('dispatcher', 'deletes early what is settled', 'delete early'),
  group('dispatcher', 'POSTs a heartbeat', 'POST heartbeat'),
  group('dispatcher', 'counts attempts for heartbeats', 'count heartbeat'),
  group('dispatcher', 'is done, its messages not deleted', 'end of batch'),
  group('releaser', 'lists endpoints, reads secrets', 'endpoints', 'secret'),
  group('releaser', 'asks what is due', 'due waiting'),
  group('releaser', 'asks what is held', 'due held'),
  group('releaser', 'takes what is due for itself', 'moveDue waiting'),
  group('releaser', 'takes what is held for itself', 'moveDue held'),
  group('releaser', 'reads the events from the log', 'log.read'),
  group('releaser', 'sends messages', 'send'),
  group('releaser', 'asks which disabling is untold', 'untold'),
  group('releaser', 'tells the operator', 'tell operator'),
  group('releaser', 'notes that it told', 'setTold'),
  group('releaser', 'asks whether a heartbeat is due', 'heartbeat', 'sources', 'cursor main'),
  group('releaser', 'takes the heartbeat’s interval', 'claim heartbeat'),
  group('releaser', 'reconciles: compares', 'marks', 'pageOfDay', 'eventIds', 'readMany'),
  group('releaser', 'reconciles: takes marks away', 'remove mark', 'mark'),
  group('operator enable', '`endpoint enable`'),
  group('operator retry_quarantined', '`quarantine retry --all`'),
  group('operator rotate', '`endpoint rotate-secret`'),
  group('operator add', '`endpoint add`'),
  group('operator recover_missing', '`recover --only missing`'),
  group('operator recover_failed', '`recover --only failed`'),
  group('operator rewind', '`source rewind`'),
  group('operator replay', '`dlq replay`'),
  group('operator forget', '`forget`'),
]

/** The row that a point belongs to; a call that no row tells of is a fault of this list. */
export const groupOf = ({ process, call }: Pick<CrashPoint, 'process' | 'call'>): Group => {
  const found = groups.find(
    one => one.process === process && (one.calls.length === 0 || one.calls.includes(call)),
  )
  if (found === undefined) throw new Error(`no row of the table tells of ${process}: ${call}`)
  return found
}
