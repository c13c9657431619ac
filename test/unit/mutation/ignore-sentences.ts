import type { Ignorer } from '@stryker-mutator/api/ignore'
import * as z from 'zod'

/** A reason, a state or a name has no blank in it; what has this many words is for a person. */
const wordsMin = 3

const stringSchema = z.object({ type: z.literal('StringLiteral'), value: z.string() })
const templateSchema = z.object({
  type: z.literal('TemplateLiteral'),
  quasis: z.array(z.object({ value: z.object({ raw: z.string() }) })),
})
const pathSchema = z.object({ node: z.union([stringSchema, templateSchema]) })

/** Mutants of the sentences in hints, problems and messages are not tried: how a thing is told is no behaviour. */
export const ignoreSentences: Ignorer = {
  shouldIgnore: path => {
    const { data } = pathSchema.safeParse(path)
    if (data === undefined) return undefined
    const { node } = data
    const text =
      node.type === 'StringLiteral' ? node.value : node.quasis.map(({ value }) => value.raw).join('x')
    return text.trim().split(/\s+/).length >= wordsMin ? 'A sentence for a person.' : undefined
  },
}
