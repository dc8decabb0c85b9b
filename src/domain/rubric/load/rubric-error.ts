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

/**
 * Lists the issues of the rules that are broken. A rule is a text with whether the rule is broken; a text that begins with a path (`/values …`) has its
 * issue there, below `at`. A space before the text of a stranger keeps it from being read as a path.
 */
export const broken = (at: string, rules: Readonly<Record<string, boolean>>): Issue[] =>
  Object.entries(rules).flatMap(([text, isBroken]) => {
    const [, path = '', message = ''] = /^(\/\S*)? ?(.*)$/s.exec(text) ?? []
    return isBroken ? [{ path: at + path, message }] : []
  })

/** A name as one key of a JSON pointer. */
export const key = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
