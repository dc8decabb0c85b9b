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

/** A rule of a place: whether it is broken, what to do then, and where, if not at the place itself. */
export type Rule = readonly [isBroken: boolean, message: string, path?: string]

export const broken = (at: string, rules: readonly Rule[]): Issue[] =>
  rules.flatMap(([isBroken, message, path = '']) => (isBroken ? [{ path: at + path, message }] : []))

/** A name as one key of a JSON pointer. */
export const key = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
