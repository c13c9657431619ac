import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import type { StackOutputs } from './stack-outputs.ts'

const connectionTimeoutMs = 5_000
const requestTimeoutMs = 15_000
/** Tries of one request, the first included, by the SDK. */
const attemptsMax = 4

/** The outputs of stacks, from CloudFormation. */
export const createCloudFormationOutputs = (settings: {
  region?: string
  profile?: string
}): StackOutputs & { close(): void } => {
  const client = new CloudFormationClient({
    ...settings,
    maxAttempts: attemptsMax,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
  return {
    read: async stackName => {
      try {
        const answer = await client.send(new DescribeStacksCommand({ StackName: stackName }))
        const outputs = answer.Stacks?.[0]?.Outputs ?? []
        return new Map(outputs.map(({ OutputKey, OutputValue }) => [OutputKey ?? '', OutputValue ?? '']))
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    close: () => client.destroy(),
  }
}

/** A stack that is not there has no error of its own (API Reference, "DescribeStacks": `ValidationError`). */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && error.message.includes('does not exist')
