import { readFileSync } from 'node:fs'
import {
  dribbles,
  endless,
  onRequest,
  type Speak,
  says,
  saysAndEnds,
  saysAndResets,
  silent,
  talksFirst,
} from './hostile-speech.ts'

const tlsFile = (name: string) => readFileSync(new URL(`./tls/${name}.pem`, import.meta.url), 'utf8')
export const trustedCertificate = tlsFile('test-only.cert')
export const serverKey = tlsFile('test-only.key')

/** An endpoint that misbehaves in one way. */
export type HostileEndpoint = {
  name: string
  /** Speaks TLS with this certificate, for `host`. */
  certificate?: string
  /** The protocols that it speaks over TLS; else it does not say. */
  protocols?: string[]
  scheme: 'http' | 'https'
  host: string
  onSocket: Speak
  /** `http_<status>`, or the reason that there is no answer. */
  outcome: string
  /** It is only ever ended by the deadline. */
  untilDeadline: boolean
}

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`
const privateUrl = 'http://169.254.169.254/latest/meta-data/'
const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\n'

const inBody: Record<string, [Speak, string]> = {
  'an endless body': [endless(`${ok}\r\n`, Buffer.alloc(65_536, 'x')), 'http_200'],
  'an endless body in chunks': [endless(chunked, `4000\r\n${'x'.repeat(0x4000)}\r\n`), 'http_200'],
  'an endless chunk extension': [endless(`${chunked}1;`, 'e'.repeat(4_096)), 'http_200'],
  'endless trailers': [endless(`${chunked}0\r\n`, `a: ${'b'.repeat(1_000)}\r\n`), 'http_200'],
  'a chunk of 2^64 bytes': [says(`${chunked}ffffffffffffffffff\r\nx`), 'http_200'],
  'a body a byte at a time': [dribbles(`${ok}content-length: 1000\r\n\r\n`, '.'), 'body_timeout'],
  'a length that is too long, then silence': [says(`${ok}content-length: 100\r\n\r\nhalf`), 'body_timeout'],
  'a length that is too long, then the end': [
    saysAndEnds(`${ok}content-length: 100\r\n\r\nhalf`),
    'http_200',
  ],
  'a length that is too short': [says(`${ok}content-length: 1\r\n\r\nmore than that`), 'http_200'],
  'a reset in the body': [saysAndResets(`${ok}content-length: 100\r\n\r\nhalf`), 'http_200'],
  'a 500 whose body is reset': [
    saysAndResets('HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nhalf'),
    'http_500',
  ],
  'a 204 with a body': [says('HTTP/1.1 204 No Content\r\ncontent-length: 4\r\n\r\nbody'), 'http_204'],
  'a 204 with a body of no length': [says('HTTP/1.1 204 No Content\r\n\r\n<html>no</html>'), 'http_204'],
  'a 304': [says('HTTP/1.1 304 Not Modified\r\netag: "a"\r\ncontent-length: 400\r\n\r\n'), 'http_304'],
  'a second answer unasked': [
    says(`${ok}content-length: 0\r\n\r\n${ok}content-length: 0\r\n\r\n`),
    'http_200',
  ],
  'an end right after the answer': [saysAndEnds(`${ok}content-length: 0\r\n\r\n`), 'http_200'],
  'HTTP/1.0': [saysAndEnds('HTTP/1.0 200 OK\r\n\r\nold'), 'http_200'],
  'HTTP/1.0 that stays open': [says('HTTP/1.0 200 OK\r\n\r\nold'), 'body_timeout'],
}

const inHead: Record<string, [Speak, string]> = {
  silence: [silent, 'timeout'],
  'a head a byte at a time': [dribbles(`${ok}x: `, 'y'), 'head_timeout'],
  'a head that stops': [says(`${ok}x: y\r\n`), 'head_timeout'],
  'many headers': [says(`${ok}${'a: b\r\n'.repeat(20_000)}\r\n`), 'headers_too_large'],
  'a huge header': [says(`${ok}a: ${'b'.repeat(20_000)}\r\n\r\n`), 'headers_too_large'],
  'an endless header': [endless(`${ok}a: `, 'b'.repeat(1_000)), 'headers_too_large'],
  'an endless reason phrase': [endless('HTTP/1.1 200 O', 'K'.repeat(1_000)), 'headers_too_large'],
  'an end before the answer': [onRequest(socket => socket.end()), 'connection_reset'],
  'an end in the head': [saysAndEnds(`${ok}x: `), 'head_cut_off'],
  'an end in the status line': [saysAndEnds('HT'), 'head_cut_off'],
  'a reset in the head': [saysAndResets(`${ok}x: `), 'head_cut_off'],
  'a reset before the answer': [onRequest(socket => socket.resetAndDestroy()), 'connection_reset'],
  'a reset at once': [socket => void socket.resetAndDestroy(), 'connection_reset'],
  'two lengths': [says(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nx`), 'content_length_invalid'],
  'a negative length': [says(`${ok}content-length: -1\r\n\r\n`), 'content_length_invalid'],
  'a length that is no number': [says(`${ok}content-length: many\r\n\r\n`), 'content_length_invalid'],
  'a length beyond 64 bits': [
    says(`${ok}content-length: ${'9'.repeat(30)}\r\n\r\n`),
    'content_length_invalid',
  ],
  'a length with chunks': [
    says(`${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    'content_length_invalid',
  ],
  'chunks with a length': [
    says(`${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`),
    'content_length_invalid',
  ],
  'no status': [says('HTTP/1.1 OK\r\n\r\n'), 'invalid_response'],
  'a status of 099': [says('HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n'), 'invalid_response'],
  'a NUL in a header': [says(`${ok}a: b\u0000c\r\n\r\n`), 'invalid_response'],
  'a header without a name': [says(`${ok}: b\r\n\r\n`), 'invalid_response'],
  'HTTP of another age': [says('HTTP/7.3 200 OK\r\n\r\n'), 'invalid_response'],
  'HTTP/0.9': [saysAndEnds('<html>so old that it has no head</html>'), 'not_http'],
  SSH: [says('SSH-2.0-OpenSSH_9.6\r\n'), 'not_http'],
  'SSH, talking first': [talksFirst('SSH-2.0-OpenSSH_9.6\r\n'), 'not_http'],
  'an alert of TLS': [says('\u0015\u0003\u0001\u0000\u0002\u0002\u0046'), 'not_http'],
  'HTTP/2 in the clear': [says('\0\0\u0012\u0004\0\0\0\0\0'), 'only_http2'],
  'the preface of HTTP/2': [says('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 'only_http2'],
  'a 100 that nobody asked for': [says('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n'), 'http_204'],
  'a 103': [says('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No\r\n\r\n'), 'http_204'],
  'a flood of 1xx': [endless('', 'HTTP/1.1 103 Early\r\n\r\n'), 'interim_endless'],
  'a 1xx now and then': [dribbles(processing, processing, 200), 'head_timeout'],
  'a 101 with an upgrade': [says(`${upgrade}connection: upgrade\r\nupgrade: ws\r\n\r\n`), 'protocol_switch'],
  'a 101 to nothing': [says(`${upgrade}\r\n`), 'protocol_switch'],
}

const redirects = Object.fromEntries(
  [301, 302, 303, 307, 308].map((status): [string, [Speak, string]] => [
    `a ${status} to a private address`,
    [
      says(`HTTP/1.1 ${status} Moved\r\nlocation: ${privateUrl}\r\ncontent-length: 0\r\n\r\n`),
      `http_${status}`,
    ],
  ]),
)

const plain = Object.entries({ ...inBody, ...inHead, ...redirects }).map(
  ([name, [onSocket, outcome]]): HostileEndpoint => ({
    name,
    scheme: 'http',
    host: 'hooks.test',
    onSocket,
    outcome,
    untilDeadline: outcome.endsWith('timeout'),
  }),
)

const tlsCertificates: [name: string, certificate: string, host: string, outcome: string][] = [
  ['of another name', 'test-only.cert', 'other.test', 'tls_name_mismatch'],
  ['of a name, where the URL has an address', 'test-only.cert', '127.0.0.1', 'tls_name_mismatch'],
  ['that has expired', 'test-only-expired.cert', 'hooks.test', 'tls_expired'],
  ['that is not valid yet', 'test-only-not-yet-valid.cert', 'hooks.test', 'tls_not_yet_valid'],
  ['without its intermediate', 'test-only-no-intermediate.cert', 'hooks.test', 'tls_untrusted'],
]

/** Instead of a handshake. */
const noTls: Record<string, [Speak, string]> = {
  'plain HTTP where TLS is expected': [says('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls_not_spoken'],
  'SSH where TLS is expected': [talksFirst('SSH-2.0-OpenSSH_9.6\r\n'), 'tls_not_spoken'],
  'a handshake that never begins': [silent, 'tls_timeout'],
  // A record of 16 KiB that goes on for ever.
  'a handshake a byte at a time': [dribbles('\u0016\u0003\u0003@\0', '\u0001'), 'tls_timeout'],
  'an end in the handshake': [onRequest(socket => socket.end()), 'tls_reset'],
  'a reset in the handshake': [onRequest(socket => socket.resetAndDestroy()), 'tls_reset'],
  // Fatal, protocol_version (RFC 8446, section 6).
  'an alert in the handshake': [says('\u0015\u0003\u0003\0\u0002\u0002\u0046'), 'tls_failed'],
}

const overTls: HostileEndpoint[] = [
  {
    name: 'HTTP/2 alone over TLS',
    scheme: 'https',
    certificate: trustedCertificate,
    protocols: ['h2'],
    host: 'hooks.test',
    onSocket: silent,
    outcome: 'only_http2',
    untilDeadline: false,
  },
  ...tlsCertificates.map(([name, certificate, host, outcome]) => ({
    name: `a certificate ${name}`,
    scheme: 'https' as const,
    certificate: tlsFile(certificate),
    host,
    onSocket: silent,
    outcome,
    untilDeadline: false,
  })),
  ...Object.entries(noTls).map(([name, [onSocket, outcome]]) => ({
    name,
    scheme: 'https' as const,
    host: 'hooks.test',
    onSocket,
    outcome,
    untilDeadline: outcome.endsWith('timeout'),
  })),
  ...(['silence', 'a head a byte at a time', 'an end in the head', 'an endless body'] as const).flatMap(
    name =>
      plain
        .filter(endpoint => endpoint.name === name)
        .map(endpoint => ({
          ...endpoint,
          name: `${name}, over TLS`,
          scheme: 'https' as const,
          certificate: trustedCertificate,
        })),
  ),
]

/** Every way in which an endpoint that takes connections can misbehave, that we know of. */
export const hostileEndpoints: readonly HostileEndpoint[] = [...plain, ...overTls]
