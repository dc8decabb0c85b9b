import { expect } from 'vitest'

/** Milliseconds below which a measurement is mostly noise. */
const NOISE_MS = 20

/** CPU milliseconds of this process for a run: the lesser of two, as the first compiles and each may collect garbage. Each has an input of its own: readings are kept by their part. */
function cpuOf<Input>(prepare: () => Input, run: (input: Input) => unknown): number {
  const spent = [1, 2].map(() => {
    const input = prepare()
    const before = process.cpuUsage()
    run(input)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...spent)
}

/**
 * Expects of work that four times its size costs less than eight times its CPU time: linear work costs four times as much, quadratic work sixteen times.
 * Both sizes are measured in one process, so that a busy machine fails no test.
 */
export function expectLinear<Input>(
  prepare: (size: number) => Input,
  run: (input: Input) => unknown,
  size: number,
): void {
  const ratioOf = (): number => {
    const part = cpuOf(() => prepare(Math.floor(size / 4)), run)
    return cpuOf(() => prepare(Math.floor(size)), run) / Math.max(NOISE_MS, part)
  }
  // A collection of garbage can double one measurement, and hardly three.
  const first = ratioOf()
  expect(first < 8 ? first : Math.min(ratioOf(), ratioOf())).toBeLessThan(8)
}
