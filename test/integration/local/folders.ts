import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of the test's own, gone at its end. */
export const temporaryFolder = (): Disposable & { path: string; of: (name: string) => string } => {
  const path = mkdtempSync(join(tmpdir(), 'bridge-local-'))
  return {
    path,
    of: name => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}
