import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
})
const templateSchema = z.looseObject({ Resources: z.record(z.string(), resourceSchema) })
const manifestSchema = z.object({
  files: z.record(z.string(), z.looseObject({ source: z.looseObject({ path: z.string().optional() }) })),
})

export type Resource = { id: string; type: string; properties: Readonly<Record<string, unknown>> }

/** What `cdk synth` wrote for one stack, and `cdk deploy` would upload. */
export type Assembly = {
  resources: readonly Resource[]
  resource(id: string): Resource
  ofType(type: string): readonly Resource[]
  /** The folder of an asset that a function's code names by its key in the bucket. */
  assetFolder(s3Key: string): string
}

/** Reads the template and the asset manifest of a stack. Throws where they are not there, or not as CDK writes them. */
export const readAssembly = (outdir: string, stackName: string): Assembly => {
  const file = (name: string): unknown => JSON.parse(readFileSync(join(outdir, name), 'utf8'))
  const template = templateSchema.parse(file(`${stackName}.template.json`))
  const manifest = manifestSchema.parse(file(`${stackName}.assets.json`))
  const resources = Object.entries(template.Resources).map(
    ([id, { Type, Properties }]): Resource => ({ id, type: Type, properties: Properties }),
  )
  return {
    resources,
    resource: id =>
      required(
        resources.find(resource => resource.id === id),
        `a resource ${id}`,
      ),
    ofType: type => resources.filter(resource => resource.type === type),
    assetFolder: s3Key => {
      const hash = s3Key.replace(/\.zip$/, '')
      const path = manifest.files[hash]?.source.path
      return join(outdir, required(path, `an asset ${hash}`))
    },
  }
}

/** What a test can't do without. */
export const required = <T>(value: T | null | undefined, what: string): T => {
  if (value === null || value === undefined) throw new Error(`there should be ${what}`)
  return value
}
