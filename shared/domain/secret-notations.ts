/** A secret in each notation in which an answer may echo it, the longest first. */
export const notationsOf = (secret: string): string[] => {
  const inBytes = Buffer.from(secret)
  const base64 = inBytes.toString('base64')
  const inJson = JSON.stringify(secret).slice(1, -1)
  const notations = [
    secret,
    ...inUrlOf(secret.toWellFormed()),
    inJson,
    inJson.replaceAll('/', '\\/'),
    base64,
    base64.replace(/=+$/, ''),
    base64.replaceAll('/', '\\/'),
    inBytes.toString('base64url'),
    ...inUrlOf(base64),
  ]
  return [...new Set(notations)].sort((one, other) => other.length - one.length)
}

const inUrlOf = (text: string): string[] => {
  const inUrl = encodeURIComponent(text)
  return [inUrl, inUrl.replace(/%../g, hex => hex.toLowerCase())]
}
