import * as z from 'zod'
import { measureCosts } from './measured-costs.ts'
import { sizesSchema } from './world.ts'

/** The costs at one size, in a process with a heap of its own. Argument: the sizes as JSON. */
const [sizes] = z
  .tuple([z.string().transform(text => sizesSchema.parse(JSON.parse(text)))])
  .parse(process.argv.slice(2))
process.on('disconnect', () => process.exit(0))
process.send?.([...(await measureCosts(sizes))])
