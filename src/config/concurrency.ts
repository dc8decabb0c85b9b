import { defineSettings, whole } from './settings.ts'

const BOUNDS = { maximum: 10_000 }

/** Calls of one judge that may be under way at once. */
export const CONCURRENCY = defineSettings({
  initial: whole(64, 'calls of one judge at once, to begin with', BOUNDS),
  min: whole(1, 'calls of one judge at once at the least', BOUNDS),
  max: whole(256, 'calls of one judge at once at the most', BOUNDS),
})
export type Concurrency = typeof CONCURRENCY.defaults

/**
 * What the file says over what holds otherwise. A beginning that is not given is moved between the limits. Throws with the place of
 * limits that contradict each other.
 */
export function resolveConcurrency(
  given: Partial<Concurrency> | undefined,
  otherwise: Concurrency,
  place: string,
): Concurrency {
  const { min, max } = { ...otherwise, ...given }
  if (min > max) throw new Error(`VERIDICT_CONFIG: ${place}: min ${min} is over max ${max}`)
  const initial = given?.initial ?? Math.min(max, Math.max(min, otherwise.initial))
  if (initial < min || initial > max)
    throw new Error(`VERIDICT_CONFIG: ${place}/initial: ${initial} is not between min ${min} and max ${max}`)
  return { initial, min, max }
}
