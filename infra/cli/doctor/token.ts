import { counted } from '../output/texts.ts'
import { type Check, failed, ok, skipped } from './check.ts'
import { hasNoToken } from './probe-source.ts'

/** Each list takes the token. */
export const tokenCheck: Check = {
  name: 'token',
  run: async ({ sources, probe }) => {
    const found = sources.map(async source =>
      (await probe(source)).map(({ stream, first }) => {
        const of = `${source.id}, ${stream}`
        if (first.kind === 'failed' && hasNoToken(first)) return skipped(of, 'there is no token to ask with')
        if (first.kind === 'failed') return failed(of, first.error.message, first.error.hint)
        const { page } = first
        const total = page.count === null ? '' : ` of ${page.count.toLocaleString('en-US')}`
        return ok(of, `accepted; the first page has ${counted(page.records.length, 'record')}${total}`)
      }),
    )
    return (await Promise.all(found)).flat()
  },
}
