/** True and false where the script alone decides it. */
export type Status = boolean | null

/** How often a command fails: what looks at something sometimes; a test, or what may have been left before its end, often; `! make` mostly. */
export type Fails = 'rarely' | 'sometimes' | 'often' | 'mostly'

/** What a command came to. */
export interface Outcome {
  readonly status: Status
  readonly fails: Fails
}

export const SUCCESS: Outcome = { status: true, fails: 'rarely' }
export const OPEN: Outcome = { status: null, fails: 'often' }

/** How often `! command` fails. */
export const opposite = (fails: Fails): Fails => (fails === 'rarely' ? 'mostly' : fails === 'mostly' ? 'rarely' : fails)

const ORDER: readonly Fails[] = ['rarely', 'sometimes', 'often']

/** How often fails what may be either, or needs both; that it mostly does is not known any more. */
export const moreOften = (one: Fails, other: Fails): Fails =>
  one === 'mostly' || other === 'mostly' ? 'often' : (ORDER[Math.max(ORDER.indexOf(one), ORDER.indexOf(other))] ?? one)
