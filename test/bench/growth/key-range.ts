import { type Bindings, type Condition, nameOf, termValue } from './expressions.ts'
import type { KeyRange } from './sorted-table.ts'

/** Higher than any key of ASCII. */
const highest = '\uffff'

/** The partition and the range of sort keys that a key condition is about. */
export const rangeOf = (
  condition: Condition,
  bindings: Bindings,
  sortKeyName: string,
): { partition: string; range: Pick<KeyRange, 'low' | 'high' | 'below'> } => {
  const parts = condition.kind === 'all' ? condition.parts : [condition]
  let partition = ''
  let range = { low: '', high: highest, below: false }
  for (const part of parts) {
    if (part.kind !== 'compare' || part.left.kind !== 'name')
      throw new Error('nobody reads this key condition')
    const [first = '', second = ''] = part.right.map(operand => {
      const value = termValue(operand, null, bindings)
      return value !== undefined && 'S' in value ? value.S : ''
    })
    if (nameOf(part.left.text, bindings) !== sortKeyName) partition = first
    else range = rangeOfOperator(part.operator, first, second)
  }
  return { partition, range }
}

const rangeOfOperator = (operator: string, first: string, second: string) => {
  switch (operator) {
    case '=':
      return { low: first, high: first, below: false }
    case '<':
      return { low: '', high: first, below: true }
    case '<=':
      return { low: '', high: first, below: false }
    case '>=':
      return { low: first, high: highest, below: false }
    case 'BETWEEN':
      return { low: first, high: second, below: false }
    default:
      throw new Error(`nobody reads ${operator} in a key condition`)
  }
}
