/** A secret in each notation in which an answer may echo it, the longest first. */
export const notationsOf = (secret: string): string[] => {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inUrl = encodeURIComponent(secret.toWellFormed())
  const notations = [
    secret,
    inUrl,
    inUrl.replace(/%../g, hex => hex.toLowerCase()),
    inJson,
    inJson.replaceAll('/', '\\/'),
    Buffer.from(secret).toString('base64'),
  ]
  return [...new Set(notations)].sort((one, other) => other.length - one.length)
}
