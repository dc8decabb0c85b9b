import type { AttackClass } from './attack-case.ts'

/** One rule of the gate, taken away by a textual change of a copy of the source. Each `find` must stand in its file exactly once. */
export interface Mutant {
  readonly name: string
  readonly rule: string
  /** The classes whose cases are run against it. */
  readonly classes: readonly AttackClass[]
  readonly patches: readonly { readonly file: string; readonly find: string; readonly put: string }[]
}

export const one = (file: string, find: string, put: string) => [{ file, find, put }]
/** Classes whose judges cite what does not hold. */
export const CITED: readonly AttackClass[] = ['bad_evidence', 'copied_quotes', 'fake_verdict']
