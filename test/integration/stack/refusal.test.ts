import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../infra/stack/bundling.ts'

describe('cdk synth with a wrong setting', () => {
  test('ends with what is wrong, exit code 1, and no trace of the code', () => {
    const run = spawnSync(process.execPath, [join('infra', 'app.ts')], {
      cwd: projectRoot,
      encoding: 'utf8',
      // As `cdk -c` hands it over.
      env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ memoryMb: '64', simulater: 'true' }) },
    })
    expect(run.status).toBe(1)
    expect(run.stdout).toBe('')
    expect(run.stderr.trim().split('\n')).toEqual([
      '2 settings are wrong:',
      '  simulater is no setting; did you mean simulator?',
      '  memoryMb must be a whole number from 128 to 3008, not "64"',
      'Settings are given as -c name=value, or in cdk.json under "context"; README.md lists them with their defaults.',
    ])
  })
})
