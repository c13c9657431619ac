import * as z from 'zod'

type Attribute =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: boolean }
  | { SS: string[] }
  | { L: Attribute[] }
  | { M: Record<string, Attribute> }

/** The kinds that the bridge's items have, as they are on the wire. */
const attributeSchema: z.ZodType<Attribute> = z.lazy(() =>
  z.union([
    z.strictObject({ S: z.string() }),
    z.strictObject({ N: z.string() }),
    z.strictObject({ B: z.string() }),
    z.strictObject({ BOOL: z.boolean() }),
    z.strictObject({ NULL: z.boolean() }),
    z.strictObject({ SS: z.array(z.string()) }),
    z.strictObject({ L: z.array(attributeSchema) }),
    z.strictObject({ M: z.record(z.string(), attributeSchema) }),
  ]),
)
export const itemSchema = z.record(z.string(), attributeSchema)
export type Item = z.infer<typeof itemSchema>

const textBytes = (text: string): number => Buffer.byteLength(text, 'utf8')
/** Of a list or map, and of each element in it. */
const containerBytes = 3
const elementBytes = 1

/** Two digits a byte, without zeros before and after, and a byte for the rest. */
const numberBytes = (text: string): number => {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '').length
  return Math.ceil(digits / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

const attributeBytes = (attribute: Attribute): number => {
  if ('S' in attribute) return textBytes(attribute.S)
  if ('N' in attribute) return numberBytes(attribute.N)
  if ('B' in attribute) return Buffer.from(attribute.B, 'base64').length
  if ('SS' in attribute) return attribute.SS.reduce((sum, text) => sum + textBytes(text), 0)
  if ('L' in attribute) {
    return attribute.L.reduce((sum, one) => sum + attributeBytes(one) + elementBytes, containerBytes)
  }
  if ('M' in attribute) {
    return Object.entries(attribute.M).reduce(
      (sum, [name, one]) => sum + textBytes(name) + attributeBytes(one) + elementBytes,
      containerBytes,
    )
  }
  return 1
}

/** The size of an item as DynamoDB counts it (its Developer Guide, "DynamoDB item sizes and formats"). */
export const itemBytes = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, one]) => sum + textBytes(name) + attributeBytes(one), 0)

/** What an item takes of storage: the same guide adds 100 bytes for each, also in an index. */
export const storedBytes = (item: Item | null): number => (item === null ? 0 : itemBytes(item) + 100)

const readUnitBytes = 4 * 1024
const writeUnitBytes = 1024

/** What was read together (one item, or all of a query's page), also where it was nothing. */
export const readUnits = (bytes: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / readUnitBytes)) * (consistent ? 1 : 0.5)

/** The larger of what was there and what is there now; a condition that fails costs what was there, and 1 at least. */
export const writeUnits = (before: Item | null, after: Item | null): number =>
  Math.max(
    1,
    ...[before, after].map(item => Math.ceil((item === null ? 0 : itemBytes(item)) / writeUnitBytes)),
  )

/**
 * What an index of keys adds to a write: nothing where the entry stays as it was, a write where it comes or goes, and
 * two where its key changes (DynamoDB Developer Guide, "Provisioned throughput considerations for Global Secondary
 * Indexes").
 */
export const indexWriteUnits = (before: Item | null, after: Item | null): number => {
  if (before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)) return 0
  return (before === null ? 0 : writeUnits(before, null)) + (after === null ? 0 : writeUnits(null, after))
}
