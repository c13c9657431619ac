import type { Item } from '../price/item-units.ts'

type Attribute = Item[string]
type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly Value[]
  | { readonly [name: string]: Value | undefined }

/** A value as DynamoDB has it on the wire; the SDK makes the same of it. */
const toAttribute = (value: Value): Attribute => {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') }
  if (isList(value)) return { L: value.map(toAttribute) }
  return { M: toWireItem(value) }
}

// Array.isArray takes no readonly array for one.
const isList = (value: object): value is readonly Value[] => Array.isArray(value)

/** An item as it is on the wire, without what is undefined. */
export const toWireItem = (item: { readonly [name: string]: Value | undefined }): Item => {
  const attributes: Item = {}
  for (const [name, value] of Object.entries(item))
    if (value !== undefined) attributes[name] = toAttribute(value)
  return attributes
}
