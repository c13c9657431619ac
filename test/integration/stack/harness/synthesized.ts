import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../../infra/stack/create-app.ts'
import { readAssembly } from './assembly.ts'
import type { Synthesized } from './deployment.ts'

/**
 * Polled every minute, so that a run ends with its first poll. The only setting that is not the default: everything
 * else is what an operator gets who sets nothing.
 */
const context = { pollEverySeconds: 60 }
const prefix = 'feedback-bridge'

/** Synthesizes the app as `cdk synth` does, bundling and all, into a folder of its own. */
export const synthesize = async (): Promise<Synthesized> => {
  const folder = await mkdtemp(join(tmpdir(), 'bridge-stack-'))
  const outdir = join(folder, 'cdk.out')
  createApp({ context, outdir }).synth()
  return { folder, prefix, assembly: readAssembly(outdir, prefix) }
}
