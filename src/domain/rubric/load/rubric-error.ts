/** Rubrics that cannot be used: each fault with its file, its line and what to do. */
export class RubricError extends Error {
  readonly faults: readonly string[]

  constructor(message: string, faults: readonly string[] = []) {
    super([message, ...faults].join('\n'))
    this.name = 'RubricError'
    this.faults = faults
  }
}
