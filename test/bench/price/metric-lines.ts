import * as z from 'zod'

const blobSchema = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.looseObject({ Name: z.string() })),
      }),
    ),
  }),
})

/** Adds the custom metrics that a log line publishes: each set of values of its dimensions is one, and is billed. */
export const collectMetricNames = (line: string, metrics: Set<string>): void => {
  if (!line.includes('"_aws"')) return
  const blob = blobSchema.parse(JSON.parse(line))
  for (const { Namespace, Dimensions, Metrics } of blob._aws.CloudWatchMetrics) {
    for (const dimensions of Dimensions) {
      const values = dimensions.map(name => `${name}=${String(blob[name])}`).join()
      for (const { Name } of Metrics) metrics.add(`${Namespace} ${Name} ${values}`)
    }
  }
}
