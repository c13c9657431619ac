import * as z from 'zod'
import { itemSchema } from '../price/item-units.ts'

/** What the adapters send, as far as the table goes by it. */
const keySchema = z.record(z.string(), z.object({ S: z.string() }))
const bindingsShape = {
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: itemSchema.optional(),
}
export const writeSchema = z.object({
  ...bindingsShape,
  Item: itemSchema.optional(),
  Key: keySchema.optional(),
  ConditionExpression: z.string().optional(),
  UpdateExpression: z.string().optional(),
})
export const querySchema = z.object({
  ...bindingsShape,
  IndexName: z.string().optional(),
  KeyConditionExpression: z.string(),
  FilterExpression: z.string().optional(),
  ProjectionExpression: z.string().optional(),
  ScanIndexForward: z.boolean().default(true),
  Limit: z.number().default(Number.POSITIVE_INFINITY),
  ExclusiveStartKey: keySchema.optional(),
})
export const getSchema = z.object({ Key: keySchema })
export const batchGetSchema = z.object({
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(keySchema) })),
})
export const batchWriteSchema = z.object({
  RequestItems: z.record(
    z.string(),
    z.array(z.object({ PutRequest: z.object({ Item: itemSchema }).optional() })),
  ),
})

export type Write = z.output<typeof writeSchema>
export type Query = z.output<typeof querySchema>
