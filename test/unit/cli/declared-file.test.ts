import { describe, expect, it } from 'vitest'
import { readDeclared } from '../../../infra/cli/declared/read-file.ts'

const problemsOf = (text: string) => {
  const read = readDeclared(text)
  return read.kind === 'invalid' ? read.problems.map(({ line, text }) => `${line}: ${text}`) : []
}

describe('a file of declarations', () => {
  it('takes the forms that people write: lists and texts with commas, numbers, yes and true', () => {
    const read = readDeclared(`
version: 1
sources:
  main: { url: "https://api.example.com", include-soft: true, paused: no, page-size: "100", overlap: 60 }
endpoints:
  one: { url: "https://one.example/", types: "email.complaint, email.bounce.*", recipient-domains: any }
  two: { url: "https://two.example/", types: ["*"] }
`)
    expect(read).toEqual({
      kind: 'declared',
      declared: {
        version: 1,
        sources: {
          main: {
            url: 'https://api.example.com',
            'include-soft': true,
            paused: false,
            'page-size': 100,
            overlap: 60,
          },
        },
        endpoints: {
          one: {
            url: 'https://one.example/',
            types: ['email.complaint', 'email.bounce.*'],
            'recipient-domains': null,
          },
          two: { url: 'https://two.example/', types: ['*'] },
        },
      },
    })
  })

  it('takes a section that is absent, or has nothing below it, for no word on what there is', () => {
    const read = readDeclared('version: 1\nsources:\n')
    expect(read).toEqual({ kind: 'declared', declared: { version: 1, sources: null, endpoints: null } })
  })

  it('names the line of what is no YAML, and quotes nothing of it', () => {
    expect(problemsOf('version: 1\nendpoints:\n  crm: { url: x, types: * }\n')).toEqual([
      '3: what begins with * must stand in quotes, as "*"',
    ])
    expect(problemsOf('version: 1\nsources:\n  main: { url: x }\n  main: { url: y }\n')).toEqual([
      '4: is there already: each id and each setting once',
    ])
    expect(problemsOf('version: 1\n  sources: "sec-ret\n').join()).not.toContain('sec-ret')
    expect(problemsOf('a: 1\n---\nb: 2\n')).toHaveLength(1)
  })

  it('tells what is missing, unknown, or of the wrong shape', () => {
    expect(problemsOf('')).toEqual(['null: is empty'])
    expect(problemsOf('sources: {}\nendpoint: {}\n')).toEqual([
      '1: version: is missing',
      '2: endpoint: is no setting here; is endpoints meant?',
    ])
    expect(problemsOf('version: 2\n')).toEqual(['1: version: must be 1'])
    expect(problemsOf('version: 1\nsources:\n  - main\n')).toEqual(['2: sources: must be settings by id'])
    expect(problemsOf('version: 1\nsources:\n  main: https://api.example.com\n')).toEqual([
      '3: sources.main: must have settings below it',
    ])
    expect(problemsOf('version: 1\nendpoints:\n  crm:\n    url:\n    types: { a: 1 }\n')).toEqual([
      '4: endpoints.crm.url: must be a single value',
      '5: endpoints.crm.types: must be a list of texts',
    ])
  })

  it('wants it said where two endpoints have one URL', () => {
    const two = (extra: string) =>
      `version: 1\nendpoints:\n  a: { url: "https://one.example" }\n  b: { url: "https://one.example/"${extra} }\n`
    expect(problemsOf(two(''))).toEqual([
      '4: endpoints.b.url: the endpoint a has it too, and the customer would get what both match twice; if two are meant, add same-url: true',
    ])
    expect(problemsOf(two(', same-url: yes'))).toEqual([])
  })

  it('is not opened up by aliases that lead to aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let at = 1; at < 9; at += 1)
      lines.push(
        `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(', ')}]`,
      )
    expect(problemsOf(lines.join('\n'))).toEqual([
      'null: has more than 100 aliases, or one that leads to itself',
    ])
  })
})
