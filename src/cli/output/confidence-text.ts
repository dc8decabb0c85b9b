import type { ResultGrade } from '../../schemas/batch.ts'

/** `high`, `low capped` (by a contradiction), `high 80%` (of the votes). */
export function confidenceText({ confidence }: Pick<ResultGrade, 'confidence'>): string {
  const { reported, source, vote_share } = confidence
  const share = vote_share === null ? '' : `${Math.round(vote_share * 100)}%`
  return [reported ?? '', source === 'capped' ? 'capped' : '', share].filter((one) => one !== '').join(' ') || '–'
}
