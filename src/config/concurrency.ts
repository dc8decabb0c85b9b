import { Type } from '../schemas/type.ts'

/** Calls of one judge that may be under way at once: where it begins, and between what it adapts. */
export interface Concurrency {
  readonly initial: number
  readonly min: number
  readonly max: number
}

export const CONCURRENCY: Concurrency = { initial: 64, min: 1, max: 256 }

const calls = () => Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 }))
export const ConcurrencySchema = Type.Object(
  { initial: calls(), min: calls(), max: calls() },
  { additionalProperties: false },
)

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
