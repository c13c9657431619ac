import * as z from 'zod'
import { BridgeError } from '../../domain/bridge-error.ts'
import { isUnreadableItem } from '../../domain/unreadable-item.ts'
import { ItemError } from './table-errors.ts'

/** Version of every kind of item; grows when a reader of the older one would misread. */
export const itemVersion = 1

const versioned = z.object({ v: z.int() })

/** Reads an item with its schema. Throws an `ItemError` that names the item and the attribute, never a value. */
export const parseItem = <T>(kind: string, schema: z.ZodType<T>, item: unknown): T => {
  const version = versioned.safeParse(item)
  if (version.success && version.data.v > itemVersion) throw newerItem(kind, version.data.v)
  const parsed = schema.safeParse(item)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(
    ({ path, code, message }) => `${path.join('.') || '(all)'}: ${code === 'custom' ? message : code}`,
  )
  throw corruptItem(kind, problems.join('; '))
}

/** The key is the table's own: it can be read of an item too that a newer version wrote. */
const keySchema = z.object({ sk: z.string() })
export const sortKeyOf = (item: unknown): string => keySchema.parse(item).sk

/** Items that can't be read hold up none of the others: each is told by its sort key. Throws every other fault. */
export const readEach = <T>(
  items: readonly unknown[],
  read: (item: unknown) => T,
  onUnreadable: (id: string, error: BridgeError) => void,
): T[] =>
  items.flatMap(item => {
    try {
      return [read(item)]
    } catch (error) {
      if (!isUnreadableItem(error)) throw error
      onUnreadable(sortKeyOf(item), error)
      return []
    }
  })

export const newerItem = (kind: string, version: number): ItemError =>
  new ItemError({
    code: 'item_newer',
    message: `an item (${kind}) has version ${version}, this code knows ${itemVersion}`,
    hint: 'A newer version of the bridge wrote it: deploy that version again, or a later one.',
  })

export const corruptItem = (kind: string, problem: string, cause?: unknown): ItemError =>
  new ItemError({
    code: 'item_corrupt',
    message: `an item (${kind}) can't be read: ${problem}`,
    hint: "Compare it with point-in-time recovery's copy and restore it; don't delete it unread.",
    cause,
  })

/** Throws an `ItemError` where an item does not stand under the key that its ids make, or these make none. */
export const checkPartition = (kind: string, pk: string, ofIds: () => string): void => {
  if (pk !== partitionOf(ofIds)) throw corruptItem(kind, 'pk: not that of its ids')
}

const partitionOf = (ofIds: () => string): string | null => {
  try {
    return ofIds()
  } catch (error) {
    if (error instanceof BridgeError) return null
    throw error
  }
}

/** JSON kept as text in an item: an attribute of its own, so that null and empty values stay what they are. */
export const jsonAttribute = <T>(schema: z.ZodType<T>) =>
  z.string().transform((text, context): T => {
    try {
      const parsed = schema.safeParse(JSON.parse(text))
      if (parsed.success) return parsed.data
      for (const issue of parsed.error.issues)
        context.addIssue({ code: 'custom', message: issue.code, path: [...issue.path] })
    } catch {
      context.addIssue({ code: 'custom', message: 'not JSON' })
    }
    return z.NEVER
  })
