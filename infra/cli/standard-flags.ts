import * as z from 'zod'
import { dataDirDefault } from '../local/flags.ts'
import { optional, toggle } from './input.ts'

const name = (what: string) => z.string().min(1, { error: `must name ${what}` })

/** Which bridge a command works on. */
export const targetInput = z
  .object({
    data: optional(name('a folder'), {
      value: 'DIR',
      text: `a local bridge's data folder, whether it runs or not (default ${dataDirDefault})`,
    }),
    stack: optional(name('a stack'), {
      value: 'NAME',
      text: 'a deployed stack, in place of a local bridge; uses the AWS credentials of the shell',
    }),
    region: optional(name('a region'), {
      value: 'REGION',
      text: "the stack's region (default: the shell's)",
    }),
    profile: optional(name('a profile'), {
      value: 'PROFILE',
      text: "a profile of the AWS configuration (default: the shell's)",
    }),
  })
  .refine(({ data, stack }) => data === undefined || stack === undefined, {
    error: '--data and --stack: give one of them',
  })
  .refine(({ stack, region }) => stack !== undefined || region === undefined, {
    error: '--region: belongs to --stack',
  })
  .refine(({ stack, profile }) => stack !== undefined || profile === undefined, {
    error: '--profile: belongs to --stack',
  })

export type TargetInput = z.output<typeof targetInput>

export const outputInput = z.object({ json: toggle('the answer as JSON on stdout') })
export const confirmInput = z.object({ yes: toggle('do it without asking') })
