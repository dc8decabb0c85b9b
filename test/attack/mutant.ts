import type { AttackClass } from './attack-case.ts'

/** One rule of the gate, taken away by a textual change of a copy of the source. Each `find` must stand in its file exactly once. */
export interface Mutant {
  readonly name: string
  readonly rule: string
  /** The classes whose cases are run against it, one in `every` of them. */
  readonly classes?: readonly AttackClass[]
  readonly every?: number
  /** How the names of the cases by kind begin that are run against it: a wrong label above `low`, or an honest answer refused, catches it. */
  readonly cases?: readonly string[]
  /** Run with `evidence.denied_acts: refuse`, where any label of a denied act catches it. */
  readonly refuse?: boolean
  readonly patches: readonly Patch[]
}

export interface Patch {
  readonly file: string
  readonly find: string
  readonly put: string
}

export const one = (file: string, find: string, put: string): Patch[] => [{ file, find, put }]

/** What a text must hold as it is to hold a quote: a second lock on the rules that nothing of a quote may differ. */
export const ANY_LANDMARKS: readonly Patch[] = one(
  'src/domain/quotes/quote-readings.ts',
  "const landmarks = readLandmarks(core?.plain ?? '')",
  "const landmarks = readLandmarks('')",
)

/** Classes whose judges cite what does not hold. */
export const CITED: readonly AttackClass[] = ['bad_evidence', 'copied_quotes', 'fake_verdict']

type Rows = Readonly<Record<string, readonly [rule: string, cases: string, find: string, put: string]>>

/** Mutants of one file that cases by kind catch; the beginnings of their names stand behind `kind/`, parted by blanks. */
export const inFile = (file: string, kind: string, rows: Rows, more: Pick<Mutant, 'refuse'> = {}): Mutant[] =>
  Object.entries(rows).map(([name, [rule, cases, find, put]]) => ({
    ...{ name, rule, ...more, cases: cases.split(' ').map((begin) => `${kind}/${begin}`) },
    patches: one(file, find, put),
  }))
