import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import * as z from 'zod'
import { createApp } from '../../../../infra/stack/create-app.ts'

/** Without bundles: what is asserted here is the template alone. */
const unbundled = { 'aws:cdk:bundling-stacks': [] }

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.array(z.string()).default([]),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
})
export type TemplateResource = z.infer<typeof resourceSchema>
const templateSchema = z.looseObject({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })),
})
const reportSchema = z.object({
  pluginReports: z.array(
    z.object({
      pluginName: z.string(),
      violations: z.array(
        z.object({
          ruleName: z.string(),
          violatingConstructs: z.array(z.object({ constructPath: z.string() })),
        }),
      ),
    }),
  ),
})

/** What a plug-in of CDK found: its name, the rule, and where. */
export type Finding = { plugin: string; rule: string; path: string }

export type Synthesized = {
  template: Template
  resources: Readonly<Record<string, TemplateResource>>
  outputs: Readonly<Record<string, { Value: unknown }>>
}

/** The stack's template with these settings. Throws where synth does. */
export const synthTemplate = (context: Record<string, unknown> = {}): Synthesized =>
  inFolder(outdir => {
    const app = createApp({ context: { ...unbundled, ...context }, outdir })
    const json: unknown = app.synth().stacks[0]?.template
    const { Resources, Outputs } = templateSchema.parse(json)
    return {
      template: Template.fromJSON(z.record(z.string(), z.unknown()).parse(json)),
      resources: Resources,
      outputs: Outputs,
    }
  })

export const ofType = ({ resources }: Synthesized, type: string): TemplateResource[] =>
  Object.values(resources).filter(({ Type }) => Type === type)

/** What the plug-ins find once `change` has been made to the app, and whether synth ends of it. */
export const findings = (
  context: Record<string, unknown>,
  change: (app: App) => void = () => {},
): { found: Finding[]; ends: boolean } =>
  inFolder(outdir => {
    const app = createApp({ context: { ...unbundled, ...context }, outdir })
    change(app)
    const errors: unknown[] = []
    try {
      app.synth()
    } catch (error) {
      errors.push(error)
    }
    const report = reportSchema.parse(
      JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')),
    )
    const found = report.pluginReports.flatMap(({ pluginName: plugin, violations }) =>
      violations.flatMap(({ ruleName: rule, violatingConstructs }) =>
        violatingConstructs.map(({ constructPath: path }) => ({ plugin, rule, path })),
      ),
    )
    // An error of another kind has no report to speak of.
    if (found.length === 0 && errors.length > 0) throw errors[0]
    return { found, ends: errors.length > 0 }
  })

const inFolder = <T>(use: (outdir: string) => T): T => {
  const outdir = mkdtempSync(join(tmpdir(), 'stack-'))
  try {
    return use(outdir)
  } finally {
    rmSync(outdir, { recursive: true })
  }
}

/** Settings that bring in whatever is optional. */
export const everySetting = {
  kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef',
  vpcId: 'vpc-0123abcd',
  subnetIds: 'subnet-0123abcd,subnet-4567abcd',
  securityGroupIds: 'sg-0123abcd',
  alarmEmail: 'on-call@example.com',
  reservedConcurrency: '30',
  simulator: 'true',
} as const
