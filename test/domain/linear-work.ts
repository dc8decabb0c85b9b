import { expect } from 'vitest'

/** Milliseconds below which a measurement is mostly noise. */
const NOISE_MS = 20

/** Measures the CPU milliseconds of this process for a run over an input of its own: readings are kept by their part. */
function cpuOf<Input>(input: Input, run: (input: Input) => unknown): number {
  const before = process.cpuUsage()
  run(input)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
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
  const quarter = (): number => cpuOf(prepare(Math.floor(size / 4)), run)
  const whole = (): number => cpuOf(prepare(Math.floor(size)), run)
  // The first run compiles: the lesser of two counts.
  const part = Math.max(NOISE_MS, Math.min(quarter(), quarter()))
  const first = whole()
  // A collection of garbage can double one measurement, and hardly three.
  expect((first < 8 * part ? first : Math.min(whole(), whole())) / part).toBeLessThan(8)
}
