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

/** Lists the issues of broken rules: by text, which may begin with a path below `at`; a space before a stranger’s text prevents that. */
export const broken = (at: string, rules: Readonly<Record<string, boolean>>): Issue[] =>
  Object.entries(rules).flatMap(([text, isBroken]) => {
    const [, path = '', message = ''] = /^(\/\S*)? ?(.*)$/s.exec(text) ?? []
    return isBroken ? [{ path: at + path, message }] : []
  })

/** A name as one key of a JSON pointer. */
export const key = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
