import type { SendFailure } from '../../domain/delivery/webhook-sender.ts'

/** Interim answers (1xx) before the answer; who sends more never comes to it. */
export const interimAnswersMax = 32

const name = 'HTTP/'
/** `HTTP/1.1 103`: from here on it is known whether an answer is an interim one. */
const statusEnd = 12
const interimStatus = /^HTTP\/1\.[01] 1(\d\d)/
const headEnd = '\r\n\r\n'

/** Of a frame of HTTP/2 (RFC 9113, section 4.1): length, type, flags, stream. A server's first one is SETTINGS. */
const frameHeadBytes = 9
const settingsFrame = 4
const preface = 'PRI * HTTP/2.0'

export type Opening =
  /** Not enough has come to say. */
  | { kind: 'more' }
  /** The answer begins; `bytes` is what has come of it. */
  | { kind: 'answer'; bytes: Buffer }
  | { kind: 'wrong'; reason: SendFailure }

const more: Opening = { kind: 'more' }
const wrong = (reason: SendFailure): Opening => ({ kind: 'wrong', reason })

/** What begins otherwise than HTTP/1 does. */
const foreign = (bytes: Buffer): Opening => {
  const text = bytes.toString('latin1', 0, preface.length)
  if (text === preface) return wrong('only_http2')
  if (preface.startsWith(text)) return more
  // A frame of less than 64 KiB.
  if (bytes[0] !== 0) return wrong('not_http')
  if (bytes.length < frameHeadBytes) return more
  const settings = bytes[3] === settingsFrame && bytes.readUInt32BE(5) === 0
  return wrong(settings ? 'only_http2' : 'not_http')
}

const afterEmptyLines = (bytes: Buffer): Buffer => {
  const at = bytes.findIndex(byte => byte !== 0x0d && byte !== 0x0a)
  return bytes.subarray(at < 0 ? bytes.length : at)
}

/**
 * Reads what comes before an answer, chunk by chunk: it passes over interim answers, as a client has to (RFC 9110,
 * section 15.2), also over a 100 that nobody asked for, which undici takes for a broken connection; and it names what is
 * no HTTP/1 at all.
 */
export const createOpening = (): ((chunk: Buffer) => Opening) => {
  let held: Buffer = Buffer.alloc(0)
  let interims = 0

  const read = (): Opening => {
    for (;;) {
      held = afterEmptyLines(held)
      const begin = held.toString('latin1', 0, statusEnd)
      if (!begin.startsWith(name)) return name.startsWith(begin) ? more : foreign(held)
      if (begin.length < statusEnd) return more
      const interim = interimStatus.exec(begin)
      if (interim === null) return { kind: 'answer', bytes: held }
      if (interim[1] === '01') return wrong('protocol_switch')
      const end = held.indexOf(headEnd)
      if (end < 0) return more
      interims += 1
      if (interims > interimAnswersMax) return wrong('interim_endless')
      held = held.subarray(end + headEnd.length)
    }
  }
  return chunk => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    return read()
  }
}
