// Writes shared/domain/event/schemas anew; `npm run format` lays them out. The test next to this says when.
import { writeFileSync } from 'node:fs'
import { publishedSchemas } from '../../../shared/domain/event/event-schemas.ts'

for (const { type, schema } of publishedSchemas()) {
  const file = new URL(`../../../shared/domain/event/schemas/${type}.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`)
}
