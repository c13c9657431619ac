import { expect, test } from 'vitest'
import { fitExponent } from '../../bench/growth/fit-exponent.ts'

const sizes = [1_000, 10_000, 100_000, 1_000_000]
const costing = (costOf: (size: number) => number) =>
  fitExponent(sizes.map(size => ({ size, cost: costOf(size) })))

test.each<[string, (size: number) => number, number]>([
  ['constant', () => 7, 0],
  ['linear', size => size / 300, 1],
  ['a square root', size => Math.sqrt(size), 0.5],
  ['a square', size => size ** 2, 2],
])('the exponent of what is %s is found', (_, costOf, exponent) => {
  expect(costing(costOf)).toBeCloseTo(exponent, 6)
})

test('what is bounded lies between, and what is logarithmic lies low', () => {
  expect(costing(size => Math.min(size, 10_000))).toBeCloseTo(0.3, 6)
  expect(costing(Math.log2)).toBeLessThan(0.15)
})

test('what costs nothing is left out, and of nothing there is no exponent', () => {
  const points = [
    { size: 10, cost: 0 },
    { size: 100, cost: 5 },
    { size: 1_000, cost: 50 },
  ]
  expect(fitExponent(points)).toBeCloseTo(1, 6)
  expect(fitExponent(points.slice(0, 2))).toBeNaN()
})
