import * as z from 'zod'
import { CommandError } from '../failures.ts'

/** What a deployed stack says of itself. */
export interface StackOutputs {
  /** Its outputs by name; null where there is no such stack. */
  read(stackName: string): Promise<ReadonlyMap<string, string> | null>
}

const present = z.string().min(1)
const schema = z.object({
  Prefix: present,
  TableName: present,
  FastQueueUrl: z.url(),
  SlowQueueUrl: z.url(),
  DeadLettersQueueUrl: z.url(),
  FailedRunsQueueUrl: z.url(),
  SecretPrefix: present,
  PollerName: present,
  DispatcherName: present,
  ReleaserName: present,
  ScheduleGroup: present,
  DashboardUrl: present.optional(),
  AlarmTopicArn: present.optional(),
  SimulatorUrl: present.optional(),
})

/** Where the parts of a deployed bridge are. */
export type DeployedStack = z.infer<typeof schema>

/** Reads where a stack's parts are. Throws a `CommandError`: no such stack, or not one of a bridge. */
export const readDeployedStack = async (outputs: StackOutputs, stackName: string): Promise<DeployedStack> => {
  const found = await outputs.read(stackName)
  if (found === null) {
    throw new CommandError({
      code: 'stack_missing',
      message: `there is no stack "${stackName}" in this account and region`,
      hint: 'Check the name, --region and --profile; npm run deploy makes the stack.',
    })
  }
  const read = schema.safeParse(Object.fromEntries(found))
  if (read.success) return read.data
  const lacking = [...new Set(read.error.issues.map(({ path }) => String(path[0])))]
  throw new CommandError({
    code: 'stack_outputs',
    message: `the stack "${stackName}" lacks outputs of a bridge: ${lacking.join(', ')}`,
    hint: 'If it is a bridge, deploy it again with this version; else give the name of the one that is, with --stack.',
  })
}
