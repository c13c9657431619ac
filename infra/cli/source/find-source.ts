import type { Source } from '../../../shared/domain/source.ts'
import { CommandError } from '../failures.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Throws a `CommandError` where there is none of that id. */
export const findSource = async ({ sources }: OperatorBridge, id: string): Promise<Source> => {
  const source = await sources.read(id)
  if (source !== null) return source
  throw new CommandError({
    code: 'source_missing',
    message: `there is no source "${id}"`,
    hint: 'bridge source list shows those that there are.',
  })
}
