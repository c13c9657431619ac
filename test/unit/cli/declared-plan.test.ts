import { describe, expect, it } from 'vitest'
import { planOf } from '../../../infra/cli/declared/plan.ts'
import { readDeclared } from '../../../infra/cli/declared/read-file.ts'
import { renderPlan } from '../../../infra/cli/declared/render-plan.ts'
import { plainLook } from '../../../infra/cli/output/look.ts'
import { type Endpoint, endpointDefaults, noFilters } from '../../../shared/domain/endpoint/endpoint.ts'

const declaredIn = (text: string) => {
  const read = readDeclared(text)
  if (read.kind === 'invalid') throw new Error(read.problems.map(problem => problem.text).join())
  return read.declared
}

const crm: Endpoint = {
  ...endpointDefaults,
  id: 'crm',
  url: 'https://example.com/',
  types: ['email.complaint', 'email.bounce.*'],
  filters: { ...noFilters, sources: ['one', 'two'] },
  keys: [{ version: 3, secret: 'signing-crm-3', signsUntilMs: null }],
  state: 'disabled',
  stateReason: 'answered_410',
  slow: true,
}
const file = (extra = '') =>
  declaredIn(
    `version: 1\nendpoints:\n  crm: { url: "https://example.com", types: [email.bounce.*, email.complaint], sources: "two,one"${extra} }\n`,
  )
const stepsOf = (declared: ReturnType<typeof file>) =>
  planOf(declared, { sources: [], endpoints: [crm] }, { prune: true }).endpoints

describe('a plan', () => {
  it('takes lists in another order, and a URL in another spelling, for the same', () => {
    expect(stepsOf(file())).toEqual([{ kind: 'keep', id: 'crm' }])
  })

  it('keeps why an endpoint is disabled that is declared so', () => {
    expect(stepsOf(file(', disabled: true'))).toEqual([{ kind: 'keep', id: 'crm' }])
  })

  it('changes only what differs, and keeps keys and lane', () => {
    const declared = file(', disabled: no')
    const changes = [{ setting: 'disabled', from: true, to: undefined }]
    const to = {
      ...crm,
      types: ['email.bounce.*', 'email.complaint'],
      filters: { ...noFilters, sources: ['two', 'one'] },
      state: 'active',
      stateReason: null,
    }
    expect(stepsOf(declared)).toEqual([{ kind: 'change', id: 'crm', from: crm, to, changes }])
    const plan = planOf(declared, { sources: [], endpoints: [crm] }, { prune: false })
    expect(renderPlan(plainLook, plan)).toBe('~ endpoint crm\n    disabled: yes → no')
  })

  it('says nothing of a section that the file does not have', () => {
    expect(stepsOf(declaredIn('version: 1\n'))).toEqual([])
    expect(stepsOf(declaredIn('version: 1\nendpoints: {}\n'))).toEqual([
      { kind: 'remove', id: 'crm', from: crm },
    ])
  })
})
