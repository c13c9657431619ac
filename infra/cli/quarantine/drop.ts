import * as z from 'zod'
import {
  createQuarantinePages,
  type QuarantineHead,
} from '../../../shared/adapters/dynamodb/quarantine-pages.ts'
import { forgottenRecordReason } from '../../../shared/domain/polling/quarantine.ts'
import { exitNotConfirmed, isConfirmed } from '../asking.ts'
import { defineCommand } from '../command.ts'
import { exitDone, exitInterrupted } from '../exit-codes.ts'
import { RefusedError } from '../failures.ts'
import { createSearching } from '../output/searching.ts'
import { counted } from '../output/texts.ts'
import { show } from '../session.ts'
import { findRecord, findRecords, notForgotten } from './find-records.ts'
import { isOneOrAll, oneOrAllError, oneOrAllInput, selectionOf } from './inputs.ts'
import { shortHash } from './render.ts'

export const dropQuarantined = defineCommand({
  name: 'drop',
  summary: 'Remove records from quarantine for good',
  details:
    'Their texts are gone then. What the service still lists and the bridge reads again, as it does with the last 32 hours,\n' +
    'comes back into quarantine. What is left of a forgotten record is not dropped: it keeps the record from coming back.',
  examples: [
    { line: 'bridge quarantine drop 0a1b2c3d4e5f6071' },
    { line: 'bridge quarantine drop --all --reason not_an_object --until 7d --yes' },
  ],
  confirms: true,
  input: z.object(oneOrAllInput).refine(isOneOrAll, oneOrAllError),
  run: async (given, session) => {
    const selection = { ...selectionOf(given, session.clock.now()), hashPrefix: given.hash ?? '' }
    const bridge = await session.open()
    const pages = createQuarantinePages(bridge.table)
    const looking = createSearching(session, 'records')
    const deps = { bridge, pages, onLooked: looking.looked }
    const one = given.hash === undefined ? null : await findRecord(selection, deps)
    if (one?.reason === forgottenRecordReason) throw forgotten()
    const heads = () => (one === null ? notForgotten(findRecords(selection, deps)) : only(one))
    const there = one === null ? await countOf(heads()) : 1
    looking.end()
    const what = one === null ? counted(there, 'quarantined record') : `the record ${shortHash(one.hash)}`
    if (there > 0 && !(await isConfirmed(session, `Drop ${what}? What they say is gone for good.`))) {
      return exitNotConfirmed
    }
    let dropped = 0
    const dropping = createSearching(session, 'records')
    for await (const head of heads()) {
      if (session.signal.aborted) break
      await pages.remove(head)
      dropped += 1
      dropping.looked(1)
    }
    dropping.end()
    if (session.signal.aborted) {
      session.io.note(`Interrupted: ${counted(dropped, 'record')} dropped; the same command goes on.`)
      return exitInterrupted
    }
    show(session, {
      json: () => ({ dropped }),
      text: ({ colors }) =>
        dropped === 0
          ? 'There is nothing in quarantine that this asks for.'
          : `${colors.green('Dropped')} ${counted(dropped, 'record')}.`,
    })
    return exitDone
  },
})

const forgotten = (): RefusedError =>
  new RefusedError({
    code: 'record_forgotten',
    message: "the record's recipient was forgotten: nothing is left of it but its hash",
    hint: 'The hash keeps it from coming back when it is read again.',
  })

async function* only(head: QuarantineHead): AsyncGenerator<QuarantineHead> {
  yield head
}

const countOf = async (heads: AsyncIterable<QuarantineHead>): Promise<number> => {
  let count = 0
  for await (const _ of heads) count += 1
  return count
}
