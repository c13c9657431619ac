import type { Item } from '../price/item-units.ts'

type Attribute = Item[string]
/** The names (`#a`) and values (`:a`) that an expression stands with. */
export type Bindings = {
  ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined
  ExpressionAttributeValues?: Readonly<Record<string, Attribute>> | undefined
}

export type Condition =
  | { kind: 'all'; parts: readonly Condition[] }
  | { kind: 'any'; parts: readonly Condition[] }
  | { kind: 'call'; name: string; args: readonly Operand[] }
  | { kind: 'compare'; operator: string; left: Operand; right: readonly Operand[] }

/** An attribute's name, a value, `if_not_exists(…)`, or a sum. */
export type Operand =
  | { kind: 'name' | 'value'; text: string }
  | { kind: 'call'; name: string; args: readonly Operand[] }
  | { kind: 'sum'; parts: readonly Operand[] }

export type Update = {
  set: readonly { name: string; to: Operand }[]
  remove: readonly string[]
  add: readonly { name: string; by: Operand }[]
}

const token = /\s*(<>|<=|>=|[=<>(),+]|[:#]?\w+)/y
const comparisons = ['=', '<>', '<', '<=', '>', '>=']

/** As much of DynamoDB's expressions as the bridge's adapters write; throws for anything else. */
const createReader = (text: string) => {
  const tokens: string[] = []
  token.lastIndex = 0
  for (let found = token.exec(text); found !== null; found = token.exec(text)) tokens.push(found[1] ?? '')
  let at = 0
  const peek = (): string => tokens[at] ?? ''
  const take = (): string => {
    at += 1
    return tokens[at - 1] ?? ''
  }
  const skip = (wanted: string): boolean => {
    if (peek() !== wanted) return false
    at += 1
    return true
  }
  const need = (wanted: string): void => {
    if (!skip(wanted)) throw new Error(`${wanted} is missing in ${text}`)
  }
  const list = <T>(read: () => T): T[] => {
    const items = [read()]
    while (skip(',')) items.push(read())
    return items
  }
  const term = (): Operand => {
    const name = take()
    if (name.startsWith(':')) return { kind: 'value', text: name }
    if (!skip('(')) return { kind: 'name', text: name }
    const args = list(term)
    need(')')
    return { kind: 'call', name, args }
  }
  const operand = (): Operand => {
    const parts = [term()]
    while (skip('+')) parts.push(term())
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : { kind: 'sum', parts }
  }
  return { peek, take, skip, need, list, operand, isDone: () => at >= tokens.length }
}

export const parseCondition = (text: string): Condition => {
  const { take, skip, need, list, operand, isDone } = createReader(text)
  const joined = (kind: 'all' | 'any', word: string, read: () => Condition): Condition => {
    const parts = [read()]
    while (skip(word)) parts.push(read())
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : { kind, parts }
  }
  const one = (): Condition => {
    if (skip('(')) {
      const inner = any()
      need(')')
      return inner
    }
    const left = operand()
    if (left.kind === 'call') return left
    const operator = take()
    if (comparisons.includes(operator)) return { kind: 'compare', operator, left, right: [operand()] }
    if (operator === 'BETWEEN') {
      const low = operand()
      need('AND')
      return { kind: 'compare', operator, left, right: [low, operand()] }
    }
    if (operator !== 'IN') throw new Error(`nobody reads ${operator} in ${text}`)
    need('(')
    const right = list(operand)
    need(')')
    return { kind: 'compare', operator, left, right }
  }
  const any = (): Condition => joined('any', 'OR', () => joined('all', 'AND', one))
  const condition = any()
  if (!isDone()) throw new Error(`nobody reads the end of ${text}`)
  return condition
}

export const parseUpdate = (text: string): Update => {
  const { take, skip, need, list, operand, isDone } = createReader(text)
  const update: { -readonly [part in keyof Update]: Update[part] } = { set: [], remove: [], add: [] }
  while (!isDone()) {
    if (skip('SET')) {
      update.set = list(() => {
        const name = take()
        need('=')
        return { name, to: operand() }
      })
    } else if (skip('REMOVE')) update.remove = list(take)
    else if (skip('ADD')) update.add = list(() => ({ name: take(), by: operand() }))
    else throw new Error(`nobody reads ${text}`)
  }
  return update
}

export const nameOf = (text: string, { ExpressionAttributeNames: names }: Bindings): string =>
  text.startsWith('#') ? (names?.[text] ?? text) : text

/** What an operand stands for in an item; undefined where it is not there. */
export const termValue = (operand: Operand, item: Item | null, bindings: Bindings): Attribute | undefined => {
  switch (operand.kind) {
    case 'name':
      return item?.[nameOf(operand.text, bindings)]
    case 'value':
      return bindings.ExpressionAttributeValues?.[operand.text]
    case 'call': {
      const [first, second] = operand.args.map(arg => termValue(arg, item, bindings))
      return first ?? second
    }
    case 'sum': {
      const sum = operand.parts.reduce((total, part) => total + numberOf(termValue(part, item, bindings)), 0)
      return { N: String(sum) }
    }
  }
}

const numberOf = (attribute: Attribute | undefined): number =>
  attribute !== undefined && 'N' in attribute ? Number(attribute.N) : 0

/** Below, at or above 0; NaN where the two can't be compared. */
const compared = (left: Attribute | undefined, right: Attribute | undefined): number => {
  if (left === undefined || right === undefined) return Number.NaN
  if ('N' in left && 'N' in right) return Number(left.N) - Number(right.N)
  if ('S' in left && 'S' in right) return left.S === right.S ? 0 : left.S < right.S ? -1 : 1
  return JSON.stringify(left) === JSON.stringify(right) ? 0 : Number.NaN
}

export const holds = (condition: Condition, item: Item | null, bindings: Bindings): boolean => {
  if (condition.kind === 'all') return condition.parts.every(part => holds(part, item, bindings))
  if (condition.kind === 'any') return condition.parts.some(part => holds(part, item, bindings))
  if (condition.kind === 'call') {
    const [value] = condition.args.map(arg => termValue(arg, item, bindings))
    return condition.name === 'attribute_exists' ? value !== undefined : value === undefined
  }
  const left = termValue(condition.left, item, bindings)
  const [by = Number.NaN, byHigh = Number.NaN, ...more] = condition.right.map(right =>
    compared(left, termValue(right, item, bindings)),
  )
  switch (condition.operator) {
    case '=':
      return by === 0
    case '<>':
      return by !== 0
    case '<':
      return by < 0
    case '<=':
      return by <= 0
    case '>':
      return by > 0
    case '>=':
      return by >= 0
    case 'BETWEEN':
      return by >= 0 && byHigh <= 0
    default:
      return [by, byHigh, ...more].includes(0)
  }
}

export const updated = (update: Update, item: Item, bindings: Bindings): Item => {
  const after = { ...item }
  for (const { name, to } of update.set) {
    const value = termValue(to, item, bindings)
    if (value !== undefined) after[nameOf(name, bindings)] = value
  }
  for (const { name, by } of update.add) {
    const sum = numberOf(item[nameOf(name, bindings)]) + numberOf(termValue(by, item, bindings))
    after[nameOf(name, bindings)] = { N: String(sum) }
  }
  for (const name of update.remove) delete after[nameOf(name, bindings)]
  return after
}
