import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  deflateRawSync,
  inflateRawSync,
  type ZlibOptions,
} from 'node:zlib'
import { eventDictionary1 } from './event-dictionary-1.ts'
import { corruptItem, newerItem } from './item.ts'

/** How an item's body is packed; stored with it. */
const encodings = { deflateDictionary1: 1, brotli: 2 } as const

const dictionary1 = Buffer.from(eventDictionary1, 'utf8')
const deflateOptions = { dictionary: dictionary1, level: constants.Z_BEST_COMPRESSION } satisfies ZlibOptions

/**
 * Beyond this, brotli: deflate's window of 32 KB does not see that a long field stands in the event two or more times
 * over (raw, and parsed), so that a record of 200 KB might not fit an item.
 */
const deflateBytesMax = 64 * 1024
const brotliOptions = {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 },
}
/** No body is as long; a corrupt item must not take the memory. */
const bodyBytesMax = 8 * 1024 * 1024

export type PackedBody = { encoding: number; bytes: Uint8Array }

/** Packs an event's body: most events then cost one write unit (1 KB). */
export const packBody = (body: string): PackedBody => {
  const bytes = Buffer.from(body, 'utf8')
  return bytes.length <= deflateBytesMax
    ? { encoding: encodings.deflateDictionary1, bytes: deflateRawSync(bytes, deflateOptions) }
    : { encoding: encodings.brotli, bytes: brotliCompressSync(bytes, brotliOptions) }
}

/** Throws an `ItemError` where the bytes are corrupt or a newer version packed them. */
export const unpackBody = ({ encoding, bytes }: PackedBody): string => {
  try {
    if (encoding === encodings.deflateDictionary1) {
      return inflateRawSync(bytes, { dictionary: dictionary1, maxOutputLength: bodyBytesMax }).toString(
        'utf8',
      )
    }
    if (encoding === encodings.brotli) {
      return brotliDecompressSync(bytes, { maxOutputLength: bodyBytesMax }).toString('utf8')
    }
  } catch (error) {
    throw corruptItem('event', 'its body does not unpack', error)
  }
  throw newerItem('event', encoding)
}
