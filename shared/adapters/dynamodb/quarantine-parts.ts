import * as z from 'zod'
import { itemBytesMax } from './table.ts'

/** Of a quarantined record's packed text, in one item; keys and reason need the rest. */
export const partBytesMax = itemBytesMax - 32 * 1024
/** Of its text. A page is bounded far below it; a corrupt item must not take the memory. */
export const textBytesMax = 256 * 1024 * 1024
/** Items of the longest text, were it not packed at all: whoever goes by a corrupt number must come to an end. */
export const partsMax = Math.ceil(textBytesMax / partBytesMax)

/** How many items hold the packed text, the first one included. */
export const partsSchema = z.int().min(1).max(partsMax)
