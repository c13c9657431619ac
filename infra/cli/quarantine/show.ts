import * as z from 'zod'
import {
  createQuarantinePages,
  type QuarantineHead,
} from '../../../shared/adapters/dynamodb/quarantine-pages.ts'
import type { QuarantinedRecord } from '../../../shared/domain/polling/quarantine.ts'
import { defineCommand } from '../command.ts'
import { sourceFlag, streamFlag } from '../events/inputs.ts'
import { exitDone } from '../exit-codes.ts'
import { CommandError } from '../failures.ts'
import { toggle } from '../input.ts'
import { show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { findRecord } from './find-records.ts'
import { hashArgument, selectionOf } from './inputs.ts'
import { recordJson, renderRecord } from './render.ts'

const input = z.object({
  hash: hashArgument,
  source: sourceFlag,
  stream: streamFlag,
  raw: toggle("the record's text alone, byte for byte as the service wrote it"),
})

export const showQuarantined = defineCommand({
  name: 'show',
  summary: 'A quarantined record: why it was kept, what today’s code makes of it, and its text',
  details: 'Records are mail: the text has addresses in it.',
  examples: [
    { line: 'bridge quarantine show 0a1b2c3d4e5f6071' },
    { line: 'bridge quarantine show 0a1b2c --raw > record.json' },
  ],
  input,
  run: async ({ hash, source, stream, raw }, session) => {
    const bridge = await session.open()
    const nowMs = session.clock.now()
    const selection = { ...selectionOf({ source, stream }, nowMs), hashPrefix: hash }
    const head = await findRecord(selection, { bridge, pages: createQuarantinePages(bridge.table) })
    const record = await readWhole(bridge, head)
    show(session, {
      json: () => recordJson(record),
      text: look => (raw ? record.text : renderRecord(look, record, nowMs)),
    })
    return exitDone
  },
})

/** Throws a `CommandError` where it was taken out meanwhile. */
export const readWhole = async (
  { quarantine }: OperatorBridge,
  head: QuarantineHead,
): Promise<QuarantinedRecord> => {
  const record = await quarantine.read(head)
  if (record !== null) return record
  throw new CommandError({
    code: 'record_missing',
    message: `the quarantined record ${head.hash} was taken out meanwhile`,
    hint: 'Somebody else retried or dropped it.',
  })
}
