import * as z from 'zod'
import type { Figures } from '../bench.ts'
import { driftOf } from './drift.ts'
import { bytesOfKnownRecord } from './known-bytes.ts'
import type { Sample } from './samples.ts'

const megabyte = 1024 * 1024

export const worldSchema = z.object({
  records: z.number(),
  requests: z.number(),
  faultShare: z.number(),
  endpoints: z.record(z.string(), z.object({ posts: z.number(), failed: z.number(), distinct: z.number() })),
})
/** What service and endpoints have seen. `records`: how many there will be; `faultShare`: of the service's last answers. */
export type World = z.infer<typeof worldSchema>

export type SoakSample = {
  bridge: Sample
  emulators: Sample
  /** Records that had arrived by then: the bridge remembers each. */
  arrived: number
}

/** What became of the records, and the drift of each process. */
export const figuresOf = (samples: readonly SoakSample[], end: World): Figures => {
  const perKnownRecord = bytesOfKnownRecord()
  const endpoints = Object.values(end.endpoints)
  const sumOf = (of: (endpoint: (typeof endpoints)[number]) => number): number =>
    endpoints.reduce((sum, endpoint) => sum + of(endpoint), 0)
  const drift = (of: (sample: SoakSample) => number): Figures =>
    driftOf(samples.map(sample => ({ atMs: sample.bridge.atMs, value: of(sample) })))
  const knownMb = ({ arrived }: SoakSample): number => (arrived * perKnownRecord) / megabyte
  const process = (of: (sample: SoakSample) => Sample): Record<string, Figures> => ({
    'heap, MB': drift(sample => of(sample).heapMb),
    'external, MB': drift(sample => of(sample).externalMb),
    'resident, not of files, MB': drift(sample => of(sample).anonymousMb),
    'resident, MB': drift(sample => of(sample).residentMb),
    sockets: drift(sample => of(sample).sockets),
    'other descriptors': drift(sample => of(sample).files),
    handles: drift(sample => of(sample).handles),
    threads: drift(sample => of(sample).threads),
  })
  return {
    ...{ records: end.records, endpoints: endpoints.length, samples: samples.length },
    'records missing at an endpoint': sumOf(({ distinct }) => end.records - distinct),
    posts: sumOf(({ posts }) => posts),
    'POSTs that failed, share': sumOf(({ failed }) => failed) / sumOf(({ posts }) => posts),
    'POSTs of what had been taken': sumOf(({ posts, failed, distinct }) => posts - failed - distinct),
    'requests to the service': end.requests,
    'requests that failed, share': end.faultShare,
    'bytes of a known record': perKnownRecord,
    'the bridge alone': {
      'heap less known records, MB': drift(sample => sample.bridge.heapMb - knownMb(sample)),
      ...process(({ bridge }) => bridge),
    },
    'its emulators': process(({ emulators }) => emulators),
  }
}
