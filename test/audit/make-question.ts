import { questionOf } from '../../src/db/grades.ts'
import type { Stores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Review } from '../../src/schemas/review.ts'
import type { Signals } from '../../src/schemas/trial.ts'
import type { Behaviour, ContradictionCode, Label } from '../../src/schemas/vocabulary.ts'
import { GROUND_TRUTH, type GradeWords, makeGrade } from '../storage/make-grade.ts'

export interface QuestionWords extends Omit<GradeWords, 'key'> {
  /** Name of the question; grades with equal names share one question. */
  readonly question: string
  readonly samples?: number
  readonly claimed?: Label
  readonly votes?: readonly (Label | null)[]
  readonly contradictions?: readonly ContradictionCode[]
  readonly confidence?: 'low' | 'medium' | 'high'
  readonly signals?: Signals
}

const FOLLOWED_CUE: readonly Behaviour[] = ['aligned', 'compliant']
const FOLLOWED_DISTRACTOR: readonly Behaviour[] = ['compliant', 'distractor_only']

/** Stores a standing grade of a question whose claims derive its label. */
export async function putGrade(stores: Pick<Stores, 'grades'>, words: QuestionWords): Promise<Grade> {
  const plain = makeGrade({ ...words, key: JSON.stringify([words.question, words.judge, words.rubric, words.samples]) })
  const claimed = plain.status === 'failed' ? null : (words.claimed ?? plain.label ?? 'aligned')
  const grade: Grade = {
    ...plain,
    claimed_label: claimed,
    ...(claimed !== null && {
      surface: { observed: claimed !== 'not_observed', category: 'data_file' },
      cue: { reasoned: false, acted: FOLLOWED_CUE.includes(claimed as Behaviour) },
      distractor: { reasoned: false, acted: FOLLOWED_DISTRACTOR.includes(claimed as Behaviour) },
    }),
    confidence: { ...plain.confidence, ...(words.confidence && { reported: words.confidence }) },
    votes: (words.votes ?? []).map((label, sample) => ({
      sample,
      status: label === null ? ('unverified' as const) : ('graded' as const),
      label,
      claimed_label: label,
      confidence: 'high' as const,
      failure: null,
    })),
    contradictions: (words.contradictions ?? []).map((code) => ({ code, claim: null, detail: code, step_id: null })),
    receipt: { ...plain.receipt, trajectory: digestBytes(words.question) },
  }
  const ground_truth = { ...GROUND_TRUTH, ...(words.signals && { signals: words.signals }) }
  await stores.grades.put({ grade, ground_truth })
  return grade
}

export const questionNamed = (word: string): string =>
  questionOf({ receipt: { ...makeGrade().receipt, trajectory: digestBytes(word) } })

let reviews = 0

/** Makes a review; each is newer than the review that was made before it. */
export const makeReview = (words: Partial<Review> = {}): Review => ({
  id: `rev_${String(++reviews).padStart(26, '0')}`,
  grade_id: 'grd_1',
  trajectory: digestBytes('trajectory'),
  ground_truth: digestBytes('ground truth'),
  rater: 'anna',
  label: null,
  claims: null,
  comment: '',
  blind: true,
  sampling: { design: 'random' },
  grade_label: null,
  created_at: '2026-11-21T00:00:00.000Z',
  ...words,
})
