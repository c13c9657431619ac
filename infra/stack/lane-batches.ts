/**
 * Messages of one invocation: two receives full, which takes a window to gather them in (Lambda API,
 * CreateEventSourceMapping, "BatchSize"). What an invocation waits for its endpoints is paid once for all of a batch; and
 * twice as many get through while some batches wait for an endpoint that does not answer (`npm run bench -- price`,
 * `isolation`). More would be more attempts at once at one endpoint, beside the other batches'.
 */
export const batchMessagesMax = 20
