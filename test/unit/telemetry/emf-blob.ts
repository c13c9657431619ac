import * as z from 'zod'
import { metricNames } from '../../../shared/adapters/telemetry/metric-names.ts'

/**
 * What CloudWatch takes as embedded metrics (Amazon CloudWatch User Guide, "Specification: Embedded metric format"):
 * 100 metrics and 30 dimensions at most, 100 values of a metric, every target a member of the root.
 */
const finite = z.number().refine(Number.isFinite)
const name = z.string().min(1).max(255)
const directive = z.strictObject({
  Namespace: z.string().min(1).max(255),
  Dimensions: z.array(z.array(name).max(30)).min(1),
  Metrics: z
    .array(z.strictObject({ Name: name, Unit: z.enum(Object.values(metricNames).map(({ unit }) => unit)) }))
    .min(1)
    .max(100),
})
const blobSchema = z
  .object({
    _aws: z.strictObject({ Timestamp: z.int().positive(), CloudWatchMetrics: z.array(directive).min(1) }),
  })
  .catchall(z.union([z.string().min(1).max(1024), finite, z.array(finite).min(1).max(100)]))
  .superRefine((root, check) => {
    for (const { Dimensions, Metrics } of root._aws.CloudWatchMetrics) {
      for (const dimension of Dimensions.flat()) {
        if (typeof root[dimension] !== 'string') check.addIssue(`the dimension ${dimension} has no value`)
      }
      for (const { Name } of Metrics) {
        const target = root[Name]
        if (typeof target !== 'number' && !Array.isArray(target)) {
          check.addIssue(`the metric ${Name} has no number`)
        }
      }
    }
  })

export type Blob = z.infer<typeof blobSchema>

export const isBlob = (line: unknown): boolean => z.looseObject({ _aws: z.unknown() }).safeParse(line).success

/** A line as the metrics that CloudWatch takes from it; throws where it would take none. */
export const readBlob = (line: unknown) => {
  const root = blobSchema.parse(line)
  const [first, ...more] = root._aws.CloudWatchMetrics
  if (first === undefined || more.length > 0) throw new Error('A blob has one directive.')
  const members = (keys: readonly string[]) => Object.fromEntries(keys.map(key => [key, root[key]]))
  const dimensions = members(first.Dimensions.flat())
  const metrics = members(first.Metrics.map(({ Name }) => Name))
  const units = Object.fromEntries(first.Metrics.map(({ Name, Unit }) => [Name, Unit]))
  const known = ['_aws', ...Object.keys(dimensions), ...Object.keys(metrics)]
  const others = Object.keys(root).filter(key => !known.includes(key))
  return {
    ...{ namespace: first.Namespace, dimensionSets: first.Dimensions, dimensions, metrics, units, others },
    timestamp: root._aws.Timestamp,
  }
}
