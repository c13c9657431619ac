import { readFile, writeFile } from 'node:fs/promises'

const document = new URL('../../../ARCHITECTURE.md', import.meta.url)
const begin = '<!-- crash points: begin (npm run test:simulation -- --crash-points --write) -->'
const end = '<!-- crash points: end -->'

/** The table as it stands in ARCHITECTURE.md, without its markers; null where these are not there. */
export const tableInDocument = async (): Promise<string | null> => {
  const text = await readFile(document, 'utf8')
  const place = placeIn(text)
  return place === null ? null : text.slice(place.from, place.to).trim()
}

/** Puts the table between its markers. */
export const writeTable = async (table: string): Promise<void> => {
  const text = await readFile(document, 'utf8')
  const place = placeIn(text)
  if (place === null) throw new Error(`ARCHITECTURE.md has no ${begin} and ${end}`)
  await writeFile(document, `${text.slice(0, place.from)}\n${table}\n${text.slice(place.to)}`)
}

const placeIn = (text: string): { from: number; to: number } | null => {
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  return from < 0 || to < from ? null : { from: from + begin.length, to }
}
