// Writes the published JSON Schemas anew; `npm run format` lays them out. The tests of the schemas say when.
import { writeFileSync } from 'node:fs'
import { publishedOperatorSchema } from '../../../shared/domain/endpoint/operator-event-schemas.ts'
import { endpointDisabledType } from '../../../shared/domain/endpoint/operator-events.ts'
import { publishedSchemas } from '../../../shared/domain/event/event-schemas.ts'

const write = (path: string, schema: Record<string, unknown>): void => {
  const file = new URL(`../../../shared/domain/${path}.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`)
}

for (const { type, schema } of publishedSchemas()) write(`event/schemas/${type}`, schema)
write(`endpoint/schemas/${endpointDisabledType}`, publishedOperatorSchema())
