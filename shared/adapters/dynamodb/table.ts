/**
 * The one table (DESIGN.md, section 7), as one constant: created from it locally and by the stack. The index is sparse
 * and holds keys only, so that an item costs it something only while it is waiting, held or dead.
 */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  index: { name: 'due', partitionKey: 'ipk', sortKey: 'isk' },
  ttl: 'expiresAt',
} as const

/** Where a store's items are: the table's name is the deployment's. */
export type TableName = string

/** DynamoDB's limit for one item, names and values together. */
export const itemBytesMax = 400 * 1024
