import type { Issue } from './result.ts'

/** A rule of a place: whether it is broken, where, and what to do then. */
export type Rule = readonly [isBroken: boolean, path: string, message: string]

export const broken = (at: string, rules: readonly Rule[]): Issue[] =>
  rules.flatMap(([isBroken, path, message]) => (isBroken ? [{ path: at + path, message }] : []))

/** A name as one key of a JSON pointer. */
export const key = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
