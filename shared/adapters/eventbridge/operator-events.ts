import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import {
  type DisabledEndpoint,
  endpointDisabledDetail,
  endpointDisabledType,
  type OperatorEvents,
  type TellResult,
} from '../../domain/endpoint/operator-events.ts'

/** Of all events of the bridge: what rules match, and what its role may put. */
export const operatorEventSource = 'feedback-bridge'
/** Every account has it, and its rules are where operators look first. */
const busName = 'default'
/**
 * Entries of one request (EventBridge API Reference, "PutEvents": at most 10). One of ours has some 400 bytes, where 256 KB
 * are allowed: an origin has at most the 253 characters of a host's name and some more.
 */
const entriesMax = 10

/** The operator's EventBridge bus. `prefix` names the stack in every event. */
export const createBusEvents = ({
  client,
  prefix,
}: {
  client: EventBridgeClient
  prefix: string
}): OperatorEvents => ({
  tellDisabled: async endpoints => {
    const results: TellResult[] = []
    for (let at = 0; at < endpoints.length; at += entriesMax) {
      const answers = await putEvents(client, prefix, endpoints.slice(at, at + entriesMax))
      results.push(...answers)
      // A bus that takes none is not asked for the rest: each request may wait for its time-out.
      if (answers.every(({ kind }) => kind === 'failed')) break
    }
    return results
  },
})

/**
 * Each entry is taken or not on its own, and the answer has them in the order of the request (EventBridge User Guide,
 * "Sending events with PutEvents", "Handling failures").
 */
const putEvents = async (
  client: EventBridgeClient,
  prefix: string,
  endpoints: readonly DisabledEndpoint[],
): Promise<TellResult[]> => {
  const entries = endpoints.map(endpoint => ({
    EventBusName: busName,
    Source: operatorEventSource,
    DetailType: endpointDisabledType,
    Time: new Date(endpoint.stateSinceMs ?? 0),
    Detail: JSON.stringify(endpointDisabledDetail(endpoint, prefix)),
  }))
  try {
    const answer = await client.send(new PutEventsCommand({ Entries: entries }))
    return endpoints.map((_, at) => {
      const entry = answer.Entries?.[at]
      return entry?.EventId === undefined ? failed(entry?.ErrorCode) : { kind: 'told' }
    })
  } catch (error) {
    // Its message may name an account; the name says what to look for.
    return endpoints.map(() => failed(error instanceof Error ? error.name : undefined))
  }
}

const failed = (code: string | undefined): TellResult => ({
  kind: 'failed',
  reason: `event_bus: ${code ?? 'no_result'}`,
})
