import {
  apply,
  at,
  dot,
  type Matrix,
  multiply,
  range,
  rowAt,
  solveVector,
  transpose,
  type Vector,
} from './linear-algebra.ts'

/**
 * The x ≥ 0 with Σx = 1 that makes ‖A·x − b‖² least: shares nearest to what was seen, where the plain solution left the
 * simplex. Primal active-set method for a convex quadratic program (Nocedal & Wright, Numerical Optimization, 16.5);
 * exact and finite for an A of full column rank. Null when a subproblem is singular.
 */
export function simplexLeastSquares(a: Matrix, b: Vector): Vector | null {
  const size = a[0]?.length ?? 0
  const gram = multiply(transpose(a), a)
  const target = apply(transpose(a), b)
  let free = range(size)
  let x: Vector = range(size).map(() => 1 / size)
  for (let step = 0; step < 100 * (size + 1); step++) {
    const stationary = onFree(gram, target, free)
    if (stationary === null) return null
    const blocking = free.filter((i) => at(stationary.x, i) < 0)
    if (blocking.length > 0) {
      const moved = moveToBoundary(x, stationary.x, blocking)
      free = free.filter((i) => i !== moved.blocked)
      x = moved.x
      continue
    }
    x = stationary.x
    const slopes = range(size).map((i) => dot(rowAt(gram, i), x) - at(target, i) + stationary.multiplier)
    const worst = range(size).reduce(
      (low, i) => (!free.includes(i) && at(slopes, i) < at(slopes, low) ? i : low),
      at(free, 0),
    )
    if (free.includes(worst) || at(slopes, worst) > -1e-12) return x
    free = [...free, worst].sort((i, j) => i - j)
  }
  return null
}

/** The least point of Σx = 1 with everything outside `free` held at 0, from its Lagrange conditions. */
function onFree(gram: Matrix, target: Vector, free: readonly number[]): { x: Vector; multiplier: number } | null {
  const lagrange = [...free.map((i) => [...free.map((j) => at(rowAt(gram, i), j)), 1]), [...free.map(() => 1), 0]]
  const solution = solveVector(lagrange, [...free.map((i) => at(target, i)), 1])
  if (solution === null) return null
  const x = gram.map((_, i) => (free.includes(i) ? at(solution, free.indexOf(i)) : 0))
  return { x, multiplier: at(solution, free.length) }
}

/** As far towards `goal` as no coordinate turns negative, and the coordinate that stopped the move. */
function moveToBoundary(x: Vector, goal: Vector, blocking: readonly number[]): { x: Vector; blocked: number } {
  const room = (i: number): number => at(x, i) / (at(x, i) - at(goal, i))
  const blocked = blocking.reduce((first, i) => (room(i) < room(first) ? i : first), at(blocking, 0))
  const length = room(blocked)
  const moved = x.map((value, i) => (i === blocked ? 0 : Math.max(0, value + length * (at(goal, i) - value))))
  return { x: moved, blocked }
}
