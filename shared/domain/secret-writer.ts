/** Where an operator keeps API tokens and signing secrets; reading them is another's right (`SecretStore`). */
export interface SecretWriter {
  /** Creates the secret, or gives it a new value; `about` says to a person what it is, and holds nothing secret. */
  put(secret: { name: string; text: string; about: string }): Promise<void>
  /** Takes it away; one that is not there is no fault. */
  remove(name: string): Promise<void>
}
