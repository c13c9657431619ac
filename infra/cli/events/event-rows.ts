import { eventTypes } from '../../../shared/domain/event/event-types.ts'
import type { EventSummary } from '../../../shared/domain/polling/event-log.ts'
import type { Look } from '../output/look.ts'
import { isNarrow, isoOf, isoOfSecond, isoOrNull, rowMoments } from '../output/moments.ts'
import type { RowColumn } from '../output/row-writer.ts'
import { none } from '../output/texts.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

export const eventIdWidth = 30
const recordTypes = eventTypes.filter(type => type.startsWith('email.'))
const endpointsWidth = 20

/** What `--json` shows of an event beside its body: documented in infra/cli/README.md, and only ever added to. */
export const summaryJson = (event: EventSummary) => ({
  id: event.id,
  type: event.type,
  timestamp: isoOfSecond(event.second),
  source: event.sourceId,
  stream: event.stream,
  recordId: event.recordId,
  endpoints: event.endpointIds,
  loggedAt: isoOf(event.loggedAtMs),
  expiresAt: isoOfSecond(event.expiresAtSeconds),
  /** When its recipient was forgotten: then nothing of the record is left. */
  forgottenAt: isoOrNull(event.forgottenAtMs ?? null),
})

const colorOf = (look: Look, type: string, text: string): string => {
  if (type === 'email.complaint') return look.colors.magenta(text)
  return type === 'email.bounce.hard' ? look.colors.red(text) : text
}

/** The column of a type that no row is broken for: on a narrow terminal without what all types begin with. */
const typeColumn = (look: Look): { width: number; show: (type: string) => string } => {
  const show = (type: string): string => (isNarrow(look) ? type.replace(/^email\./, '') : type)
  return { width: Math.max(...recordTypes.map(type => show(type).length)), show }
}

/** Columns and rows of events; which source it was only where there are several. */
export const eventRows = async (
  { sources }: Pick<OperatorBridge, 'sources'>,
  of: { look: Look; source: string | undefined },
): Promise<{ columns: readonly RowColumn[]; row: (event: EventSummary) => readonly string[] }> => {
  const { look } = of
  const ids = of.source === undefined ? (await sources.list()).map(({ id }) => id) : [of.source]
  const hasSource = ids.length > 1
  const [moments, types] = [rowMoments(look), typeColumn(look)]
  const sourceColumn = { title: 'SOURCE', width: Math.max(...ids.map(id => id.length), 1), shrinks: true }
  return {
    columns: [
      { title: 'TIME', width: moments.width },
      { title: 'EVENT', width: eventIdWidth },
      { title: 'TYPE', width: types.width },
      ...(hasSource ? [sourceColumn] : []),
      { title: isNarrow(look) ? 'FOR' : 'ENDPOINTS', width: endpointsWidth, shrinks: true },
    ],
    row: event => [
      moments.show(event.second * 1_000),
      event.id,
      event.forgottenAtMs === undefined
        ? colorOf(look, event.type, types.show(event.type))
        : look.colors.dim('forgotten'),
      ...(hasSource ? [event.sourceId] : []),
      event.endpointIds.length === 0 ? none : event.endpointIds.join(', '),
    ],
  }
}
