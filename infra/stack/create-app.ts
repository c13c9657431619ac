import { App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks } from 'cdk-nag'
import { BridgeStack } from './bridge-stack.ts'
import { featureFlags } from './feature-flags.ts'
import { parseSettings } from './settings.ts'

export type CreateAppOptions = {
  /** Settings, and switches of CDK; what `cdk` itself hands over comes on top. */
  context?: Record<string, unknown>
  /** Where to synthesize into. Default: where `cdk` says, or a folder of its own. */
  outdir?: string
}

/** The CDK app with its one stack. Throws a `SettingsError` where the context is not right. */
export const createApp = ({ context = {}, outdir }: CreateAppOptions = {}): App => {
  const app = new App({
    context,
    postCliContext: featureFlags,
    // Whoever makes the app synthesizes it: never one whose settings were refused.
    autoSynth: false,
    analyticsReporting: false,
    ...(outdir !== undefined && { outdir }),
  })
  new BridgeStack(app, parseSettings(app.node.getAllContext()))
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  return app
}
