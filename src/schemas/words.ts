import type { InputState } from './grade.ts'

export const REASON_WORDS = {
  no_ratings: 'no ratings',
  no_pairs: 'no pairs',
  one_category: 'all of one category',
  not_two_raters: 'not two raters',
  too_many_raters: 'too many raters',
  unequal_ratings: 'unequal numbers of ratings',
  no_cases: 'no cases',
  no_discordant_pairs: 'nothing differs',
  too_few_units: 'too few tasks for an interval',
  too_few_reviews: 'too few reviews',
  mostly_undefined: 'undefined in most resamples',
  no_spread: 'no spread: every resample is the same',
} as const

/** Words on whether the judge saw what the agent saw: the state, then each reason for it. */
export const inputWords = ({ state, compacted, truncated_by, missing }: InputState): string[] => [
  state,
  ...(compacted ? ['the harness compacted the context'] : []),
  ...truncated_by.map((by) => (by === 'harness' ? 'outputs cut by the harness' : 'cut for the judge’s window')),
  ...(missing.records > 0 ? [`unread records: ${missing.records}`] : []),
  ...(missing.media > 0 ? [`pictures or sounds not shown: ${missing.media}`] : []),
]
