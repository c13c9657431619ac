import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { createApp } from '../../infra/stack/create-app.ts'
import { type FunctionName, functionNames, namesOf } from '../../infra/stack/names.ts'
import { readAssembly, required } from '../integration/stack/harness/assembly.ts'

const prefix = 'feedback-bridge'
const codeSchema = z.looseObject({ FunctionName: z.string(), Code: z.looseObject({ S3Key: z.string() }) })

export type Bundles = {
  /** The bundle of each function, as `cdk deploy` would upload it. */
  fileOf: Readonly<Record<FunctionName, string>>
  /** To remove when done. */
  folder: string
}

/** Synthesizes the stack with its default settings into a folder of its own. */
export const synthesizeBundles = (): Bundles => {
  const folder = mkdtempSync(join(tmpdir(), 'bridge-bench-'))
  const outdir = join(folder, 'cdk.out')
  createApp({ context: { prefix }, outdir }).synth()
  const assembly = readAssembly(outdir, prefix)
  const functions = assembly
    .ofType('AWS::Lambda::Function')
    .map(({ properties }) => codeSchema.parse(properties))
  const fileOf = (name: FunctionName): string => {
    const wanted = namesOf(prefix).functionOf(name)
    const of = functions.find(({ FunctionName }) => FunctionName === wanted)
    return join(assembly.assetFolder(required(of, `a function ${wanted}`).Code.S3Key), 'index.mjs')
  }
  const [poller, dispatcher, releaser] = functionNames
  return {
    fileOf: {
      [poller]: fileOf(poller),
      [dispatcher]: fileOf(dispatcher),
      [releaser]: fileOf(releaser),
    },
    folder,
  }
}

/** A module beside the bundles, to compare them with. */
export const writeModule = (folder: string, name: string, text: string): string => {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text)
  return file
}
