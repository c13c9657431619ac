import { generate } from 'selfsigned'
import { publicAddress } from './public-address.ts'

const certificateDays = 2
const dayMs = 86_400_000

/** A key and its certificate for the public test address, made for this run, which is its own authority. */
export const makeCertificate = async (): Promise<{ key: string; cert: string }> => {
  const made = await generate([{ name: 'commonName', value: publicAddress }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // Clocks of machines differ by a little.
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + certificateDays * dayMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: publicAddress }] },
    ],
  })
  return { key: made.private, cert: made.cert }
}
