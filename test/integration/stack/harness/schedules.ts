import * as z from 'zod'
import { type Assembly, type Resource, required } from './assembly.ts'
import type { Resolver } from './intrinsics.ts'

const scheduleSchema = z.looseObject({
  Target: z.looseObject({
    Arn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
    Input: z.string(),
  }),
})
const invokeConfigSchema = z.looseObject({
  MaximumRetryAttempts: z.int(),
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.string() }) }),
})

/** The payload with which the schedule of a function invokes it. */
export const schedulePayload = (assembly: Assembly, functionId: string): unknown => {
  const targets = assembly
    .ofType('AWS::Scheduler::Schedule')
    .map(({ properties }) => scheduleSchema.parse(properties).Target)
  const isOfFunction = ({ Arn }: { Arn: { 'Fn::GetAtt': readonly string[] } }): boolean =>
    Arn['Fn::GetAtt'][0] === functionId
  return JSON.parse(required(targets.find(isOfFunction), `a schedule of ${functionId}`).Input)
}

/** How Lambda treats an asynchronous invocation that fails: tries, and where the record of it goes. */
export const invokeConfig = (assembly: Assembly, resolver: Resolver, functionId: string) => {
  const isOfFunction = ({ properties }: Resource): boolean =>
    z.object({ FunctionName: z.object({ Ref: z.literal(functionId) }) }).safeParse(properties).success
  const config = required(
    assembly.ofType('AWS::Lambda::EventInvokeConfig').find(isOfFunction),
    `the treatment of failures of ${functionId}`,
  )
  const { MaximumRetryAttempts, DestinationConfig } = invokeConfigSchema.parse(
    resolver.resolve(config.properties),
  )
  return { retries: MaximumRetryAttempts, destinationArn: DestinationConfig.OnFailure.Destination }
}
