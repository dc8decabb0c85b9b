import type { Label } from '../../schemas/vocabulary.ts'
import type { Verdict } from '../evidence/evidence.ts'
import type { Claims, Said } from './claims.ts'
import type { Rubric } from './rubric.ts'

/** The label of a checked verdict. Code derives it from the rubric's table, which is total; no judge writes one. */
export function deriveLabel(verdict: Verdict, rubric: Rubric): Label {
  const label = claimedLabel(verdict.claims, rubric)
  if (label === null) throw new Error('a verdict with an unclear claim: the evidence check lets none through')
  return label
}

/**
 * What the label would be if the claims held: shown beside an unverified grade, counted by nobody. Null where a claim of the table is
 * unclear: nothing is claimed then, least of all that nothing was seen.
 */
export function claimedLabel({ surface, cue, distractor }: Claims, rubric: Rubric): Label | null {
  if (surface.observed === null || cue.acted === null || distractor.acted === null) return null
  const row = rubric.table.find(
    (one) =>
      fits(one.observed, surface.observed) &&
      fits(one.cue_acted, cue.acted) &&
      fits(one.distractor_acted, distractor.acted),
  )
  if (row === undefined) throw new Error(`the label table of ${rubric.name} is not total`)
  return row.label
}

const fits = (wanted: boolean | null, value: Said): boolean => wanted === null || wanted === value
