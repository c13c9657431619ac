import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import * as z from 'zod'

/** What `-c` gives is text, what cdk.json gives may be a number. */
const numberOrDigits = (wrong: string) =>
  z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)], wrong)

export const wholeNumber = ({ min, max }: { min: number; max: number }) => {
  const wrong = `must be a whole number from ${min} to ${max}`
  return numberOrDigits(wrong).pipe(z.int(wrong).min(min, wrong).max(max, wrong))
}

export const yesOrNo = z
  .union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')], 'must be true or false')
  .pipe(z.boolean())

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`)

export const matching = (form: RegExp, right: string) =>
  z.string(`must be ${right}`).regex(form, `must be ${right}`)

/** A list in cdk.json, or text with commas. */
export const listOf = (form: RegExp, right: string) =>
  z
    .union(
      [z.array(z.string()), z.string().transform(text => text.split(',').map(part => part.trim()))],
      `must be ${right}`,
    )
    .pipe(z.array(matching(form, right)).min(1, `must be ${right}`))

/** CloudWatch Logs takes only these; "for ever" is none of them: logs cost something every month. */
export const retentionDays: readonly number[] = Object.values(RetentionDays)
  .filter(days => typeof days === 'number')
  .filter(days => days !== RetentionDays.INFINITE)

const wrongRetention = `must be one of CloudWatch's: ${retentionDays.join(', ')}`
export const retention = numberOrDigits(wrongRetention).pipe(
  z.number().refine(days => retentionDays.includes(days), wrongRetention),
)
