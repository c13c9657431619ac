/** A cost beside the size that it was met at. */
export type Point = { size: number; cost: number }

/**
 * The exponent by which a cost grows with a size: the slope of the least-squares line through the logarithms of both.
 * 0: constant; 1: linear. What costs nothing at some size is left out; NaN where too little is left.
 */
export const fitExponent = (points: readonly Point[]): number => {
  const logs = points
    .filter(({ size, cost }) => size > 0 && cost > 0)
    .map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }))
  const mean = (of: 'x' | 'y'): number => logs.reduce((sum, log) => sum + log[of], 0) / logs.length
  const [meanX, meanY] = [mean('x'), mean('y')]
  const products = logs.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  const squares = logs.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  return squares === 0 ? Number.NaN : products / squares
}
