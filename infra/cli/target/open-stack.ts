import {
  createSecretsClient,
  createSecretsManagerStore,
} from '../../../shared/adapters/secrets/secrets-manager-store.ts'
import { createSecretsManagerWriter } from '../../../shared/adapters/secrets/secrets-manager-writer.ts'
import { createCloudFormationOutputs } from './cloudformation-outputs.ts'
import { composeOperatorBridge, type OperatorBridge } from './operator-bridge.ts'
import { readDeployedStack } from './stack-outputs.ts'

/** A deployed bridge: where its parts are, its stack's outputs say. */
export const openStack = async (of: {
  stack: string
  region: string | undefined
  profile: string | undefined
  now: () => number
}): Promise<OperatorBridge> => {
  const settings = {
    ...(of.region !== undefined && { region: of.region }),
    ...(of.profile !== undefined && { profile: of.profile }),
  }
  const outputs = createCloudFormationOutputs(settings)
  const stack = await readDeployedStack(outputs, of.stack).finally(() => outputs.close())
  const client = createSecretsClient(settings)
  const prefix = stack.SecretPrefix
  return composeOperatorBridge({
    target: { kind: 'stack', name: of.stack, stack },
    dynamodb: { settings, tableName: stack.TableName },
    sqs: {
      settings,
      queueUrls: {
        fast: stack.FastQueueUrl,
        slow: stack.SlowQueueUrl,
        deadLetters: stack.DeadLettersQueueUrl,
      },
    },
    // The operator wants what is there now, not what was there some seconds ago.
    secrets: createSecretsManagerStore({ client, prefix, cacheSeconds: 0, now: of.now }),
    secretWriter: createSecretsManagerWriter({ client, prefix }),
    onClose: async () => client.destroy(),
  })
}
