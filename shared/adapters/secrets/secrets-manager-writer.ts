import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import type { SecretWriter } from '../../domain/secret-writer.ts'
import { secretNotWritten } from './secret-errors.ts'

/** The shortest that Secrets Manager allows (API Reference, "DeleteSecret"): time to take back a mistake. */
export const recoveryDays = 7

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** Writes secrets of AWS Secrets Manager under a prefix. */
export const createSecretsManagerWriter = (of: {
  client: SecretsManagerClient
  prefix: string
}): SecretWriter => {
  const { client, prefix } = of

  const putValue = async (name: string, text: string): Promise<'put' | 'missing'> => {
    const put = new PutSecretValueCommand({ SecretId: prefix + name, SecretString: text })
    try {
      await client.send(put)
      return 'put'
    } catch (error) {
      if (isNamed(error, 'ResourceNotFoundException')) return 'missing'
      // One that waits for its deletion takes no value until it is restored (API Reference, "RestoreSecret").
      if (!isNamed(error, 'InvalidRequestException')) throw error
    }
    await client.send(new RestoreSecretCommand({ SecretId: prefix + name }))
    await client.send(put)
    return 'put'
  }

  return {
    put: async ({ name, text, about }) => {
      try {
        if ((await putValue(name, text)) === 'put') return
        const Description = `${about} (feedback bridge)`
        await client.send(new CreateSecretCommand({ Name: prefix + name, SecretString: text, Description }))
      } catch (error) {
        throw secretNotWritten(name, error)
      }
    },
    remove: async name => {
      try {
        await client.send(
          new DeleteSecretCommand({ SecretId: prefix + name, RecoveryWindowInDays: recoveryDays }),
        )
      } catch (error) {
        const isGone =
          isNamed(error, 'ResourceNotFoundException') || isNamed(error, 'InvalidRequestException')
        if (!isGone) throw secretNotWritten(name, error)
      }
    },
  }
}
