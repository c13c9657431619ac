import type { Cursor } from '../../../shared/domain/polling/cursor.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import type { Look } from '../output/look.ts'
import { showAge, showMomentAndAge } from '../output/moments.ts'
import { renderFields, renderTable } from '../output/table.ts'
import { counted, none } from '../output/texts.ts'
import type { SourceView } from './source-view.ts'

const stateOf = (look: Look, { source }: SourceView): string =>
  source.state === 'active' ? look.colors.green('active') : look.colors.yellow('paused')

const lastWalk = (cursor: Cursor | null, nowMs: number): string => {
  const atMs = cursor?.lastCompleteWalkAtMs ?? null
  return atMs === null ? 'never' : showAge(atMs, nowMs)
}

export const renderSources = (look: Look, views: readonly SourceView[], nowMs: number): string => {
  if (views.length === 0) return 'There are no sources yet; bridge source add makes one.'
  const rows = views.map(view => [
    view.source.id,
    stateOf(look, view),
    `${view.source.baseUrl}${view.source.pathPrefix}`,
    `${view.source.pollEverySeconds} s`,
    lastWalk(view.cursors.bounces, nowMs),
    lastWalk(view.cursors.complaints, nowMs),
  ])
  const columns = [
    { title: 'SOURCE', shrinks: true },
    { title: 'STATE' },
    { title: 'SERVICE', shrinks: true },
    { title: 'EVERY' },
    { title: 'BOUNCES READ' },
    { title: 'COMPLAINTS READ' },
  ]
  return renderTable(look, columns, rows)
}

export const renderSource = (look: Look, view: SourceView, nowMs: number): string => {
  const { source, cursors } = view
  const settings = renderFields(look, [
    ['Source', look.colors.bold(source.id)],
    ['State', stateOf(look, view)],
    ['Service', `${source.baseUrl}${source.pathPrefix}`],
    ['Token', `sent as ${source.authScheme}, kept as ${source.tokenSecret}`],
    ['Bounces', source.includeSoft ? 'hard, soft and expired' : 'hard ones only'],
    ['Started at', startOf(source.startAt)],
    ['Polled', `every ${source.pollEverySeconds} s, the last ${source.overlapSeconds} s again and again`],
    ['Limit', `${counted(source.requestsPerMinute, 'request')} a minute, of which 80 % are used`],
    ['Page', source.pageSize === null ? "the service's default" : counted(source.pageSize, 'record')],
  ])
  const streams = streamNames.map(stream => renderStream(look, stream, cursors[stream], nowMs))
  return [settings, ...streams].join('\n\n')
}

const startOf = (startAt: SourceView['source']['startAt']): string =>
  startAt.kind === 'time' ? new Date(startAt.second * 1_000).toISOString() : startAt.kind

const renderStream = (look: Look, stream: StreamName, cursor: Cursor | null, nowMs: number): string => {
  const title = look.colors.bold(stream)
  if (cursor === null || cursor.floorSecond === null) return `${title}\nnot read yet`
  const at = (second: number | null | undefined): string =>
    second === null || second === undefined ? none : showMomentAndAge(second * 1_000, nowMs)
  const lines: [string, string][] = [
    ['Last complete walk', lastWalk(cursor, nowMs)],
    ['Newest record', at(cursor.newest?.second)],
    ['Anchor', cursor.anchor === null ? 'none: read from the start of the list' : at(cursor.anchor.second)],
    ['Floor', cursor.floorSecond === 0 ? 'none: everything is sent' : at(cursor.floorSecond)],
    ['Walk under way', cursor.place === null ? 'no' : 'yes'],
  ]
  return `${title}\n${renderFields(look, lines)}`
}
