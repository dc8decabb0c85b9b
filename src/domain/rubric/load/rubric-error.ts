import type { Issue } from '../../result.ts'

/** Rubrics that cannot be used: each fault with its file, its line and what to do. */
export class RubricError extends Error {
  readonly faults: readonly string[]

  constructor(message: string, faults: readonly string[] = []) {
    super([message, ...faults].join('\n'))
    this.name = 'RubricError'
    this.faults = faults
  }
}

/** A rule of a place: whether it is broken, where, and what to do then. */
export type Rule = readonly [isBroken: boolean, path: string, message: string]

export const broken = (at: string, rules: readonly Rule[]): Issue[] =>
  rules.flatMap(([isBroken, path, message]) => (isBroken ? [{ path: at + path, message }] : []))

/** A name as one key of a JSON pointer. */
export const key = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
