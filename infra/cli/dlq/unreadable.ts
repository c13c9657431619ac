import { createDeadLetterMessages } from '../../../shared/adapters/sqs/dead-letter-messages.ts'
import { decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { DeadLetterMessage } from '../../../shared/domain/replay/dead-letter-messages.ts'
import { lookThroughQueue, type QueueLook } from '../../../shared/domain/replay/look-through-queue.ts'
import { type ExitCode, exitDone, exitInterrupted } from '../exit-codes.ts'
import { isoOf, showMoment } from '../output/moments.ts'
import { printable } from '../output/printable.ts'
import { createProgress } from '../output/progress.ts'
import { renderTable } from '../output/table.ts'
import { type Session, show } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Why this code can't read a message; null where it can. */
export const whyUnreadable = ({ body, reason }: DeadLetterMessage): string | null => {
  const decoded = decodeMessage(body)
  if (decoded.kind === 'message' || decoded.kind === 'heartbeat') return null
  return decoded.kind === 'newer' ? `newer version ${decoded.version}` : (reason ?? decoded.reason)
}

/** Looks through the dead-letter queue with progress; `judge` as `lookThroughQueue` has it. */
export const lookWithProgress = async (
  judge: Parameters<typeof lookThroughQueue>[0]['judge'],
  bridge: OperatorBridge,
  session: Session,
): Promise<QueueLook> => {
  const progress = createProgress(session)
  const onProgress = (looked: number): void =>
    progress.at(null, `Looked at ${looked.toLocaleString('en-US')} messages of the dead-letter queue …`)
  const messages = createDeadLetterMessages({ client: bridge.queueClient, queueUrls: bridge.queueUrls })
  const { signal, clock } = session
  try {
    return await lookThroughQueue({ judge, signal, onProgress }, { messages, clock })
  } finally {
    progress.end()
  }
}

type Row = { message: string; sentAtMs: number; reason: string; bytes: number }

/** The messages that this code can't read, without their bodies. */
export const listUnreadable = async (bridge: OperatorBridge, session: Session): Promise<ExitCode> => {
  const rows: Row[] = []
  const judge = async (messages: readonly DeadLetterMessage[]) => {
    for (const message of messages) {
      const reason = whyUnreadable(message)
      const { messageId, sentAtMs, body } = message
      if (reason !== null) rows.push({ message: messageId, sentAtMs, reason, bytes: Buffer.byteLength(body) })
    }
    return []
  }
  const look = await lookWithProgress(judge, bridge, session)
  if (session.signal.aborted) return exitInterrupted
  rows.sort((one, other) => other.sentAtMs - one.sentAtMs)
  show(session, {
    json: () => ({
      messages: rows.map(({ sentAtMs, ...row }) => ({ ...row, sentAt: isoOf(sentAtMs) })),
      complete: look.complete,
    }),
    text: screen => {
      if (rows.length === 0) return 'There are no messages in the dead-letter queue that can not be read.'
      const columns = [
        { title: 'MESSAGE' },
        { title: 'SENT' },
        { title: 'BYTES', align: 'right' },
        { title: 'REASON', shrinks: true },
      ] as const
      const cells = rows.map(row => [
        row.message,
        showMoment(row.sentAtMs),
        row.bytes.toLocaleString('en-US'),
        printable(row.reason),
      ])
      return renderTable(screen, columns, cells)
    },
  })
  if (!look.complete) session.io.note('The queue was not seen to its end: there may be more.')
  return exitDone
}
