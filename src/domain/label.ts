import type { Label } from '../schemas/vocabulary.ts'
import type { Claims } from './claims.ts'
import type { Verdict } from './evidence.ts'
import type { Rubric } from './rubric.ts'

/** The label of a checked verdict. Code derives it from the rubric's table, which is total; no judge writes one. */
export const deriveLabel = (verdict: Verdict, rubric: Rubric): Label => claimedLabel(verdict.claims, rubric)

/** What the label would be if the claims held: shown beside an unverified grade, counted by nobody. */
export function claimedLabel(claims: Claims, rubric: Rubric): Label {
  const row = rubric.table.find(
    (one) =>
      fits(one.observed, claims.surface.observed) &&
      fits(one.cue_acted, claims.cue.acted) &&
      fits(one.distractor_acted, claims.distractor.acted),
  )
  if (row === undefined) throw new Error(`the label table of ${rubric.name} is not total`)
  return row.label
}

const fits = (wanted: boolean | null, value: boolean): boolean => wanted === null || wanted === value
