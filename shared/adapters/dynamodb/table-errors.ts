import { BridgeError } from '../../domain/bridge-error.ts'

/** The table did not answer, or refused for a reason that is not a condition. */
export class TableError extends BridgeError {}

/** An item that this version can't read: corrupt, or written by a newer one. Never taken for "no item". */
export class ItemError extends BridgeError {}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'UnknownError')

export const isConditionFailed = (error: unknown): boolean =>
  nameOf(error) === 'ConditionalCheckFailedException'

const hints: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'Deploy the stack, or check the name of the table and its region.',
  AccessDeniedException: "Give the function's role access to the table and its index.",
  ProvisionedThroughputExceededException: 'A partition is hot; it is tried again by itself.',
  ThrottlingException: 'The table is throttled; it is tried again by itself.',
}

/** The SDK's error as ours. Its own message may quote an item, so only its name is shown. */
export const asTableError = (error: unknown): TableError => {
  if (error instanceof TableError) return error
  const name = nameOf(error)
  return new TableError({
    code: name === 'ResourceNotFoundException' ? 'table_missing' : 'table_unavailable',
    message: `the table did not take a request: ${name}`,
    hint: hints[name] ?? 'If it lasts, check the network and the status of DynamoDB.',
    cause: error,
  })
}

/** Runs a request; a failure is a `TableError`, a condition that failed is `refused`. */
export const conditionally = async <T>(request: Promise<T>): Promise<T | 'refused'> => {
  try {
    return await request
  } catch (error) {
    if (isConditionFailed(error)) return 'refused'
    throw asTableError(error)
  }
}

/** Runs a request that has no condition; a failure is a `TableError`. */
export const asked = async <T>(request: Promise<T>): Promise<T> => {
  try {
    return await request
  } catch (error) {
    throw asTableError(error)
  }
}
