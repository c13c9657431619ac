import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Stack, Validations } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Key } from 'aws-cdk-lib/aws-kms'
import { AwsSolutionsChecks } from 'cdk-nag'
import { SimulatorService } from '../../../infra/stack/simulator.ts'

export const keyArn = 'arn:aws:kms:eu-west-1:123456789012:key/5f3c2a1e-0d4b-4c6a-9e8f-7a6b5c4d3e2f'

export type SimulatorStack = AsyncDisposable & {
  /** Of this stack alone; goes with it. */
  folder: string
  /** Where it was synthesized into. */
  outdir: string
  template: Template
  url: unknown
}

/** A stack with nothing but the simulator, synthesized; throws where cdk-nag finds anything. */
export const synthesizeSimulator = async ({
  withKey = false,
  withBundle = false,
  variables = {},
}: {
  withKey?: boolean
  withBundle?: boolean
  variables?: Record<string, string>
} = {}): Promise<SimulatorStack> => {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-stack-'))
  const remove = () => rm(folder, { recursive: true })
  const outdir = join(folder, 'cdk.out')
  try {
    const context = withBundle ? {} : { 'aws:cdk:bundling-stacks': [] }
    const app = new App({ outdir, context, analyticsReporting: false })
    const stack = new Stack(app, 'bridge')
    const service = new SimulatorService(stack, 'Simulator', {
      prefix: 'bridge',
      logRetention: 30,
      encryptionKey: withKey ? Key.fromKeyArn(stack, 'Key', keyArn) : null,
      variables,
    })
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
    app.synth()
    const url: unknown = stack.resolve(service.url)
    return { folder, outdir, template: Template.fromStack(stack), url, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The one resource of a type. */
export const onlyResource = (template: Template, type: string): Record<string, unknown> => {
  const [found, ...others] = Object.values(template.findResources(type))
  if (found === undefined || others.length > 0) throw new Error(`there is not exactly one ${type}`)
  return found
}
