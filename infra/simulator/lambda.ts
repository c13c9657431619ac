import { createHandler } from './lambda-handler.ts'
import { readLambdaSettings } from './lambda-settings.ts'
import { createSecretReader, createTokenReader } from './token-secret.ts'

const { tokenSecret, options } = readLambdaSettings(process.env)

/** The email service as a Lambda function URL (README.md, "As a Lambda function"). */
export const handler = createHandler({
  options,
  readToken: createTokenReader({ readSecret: createSecretReader(tokenSecret), now: Date.now }),
  now: Date.now,
  // As an object: Lambda writes it as JSON (the function logs in that format).
  log: entry => console.log(entry),
})
