import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import type { ReviewStore } from '../../ports/grade-ports.ts'
import type { AgreementRequest, Rating } from '../../schemas/audit/agreement.ts'
import type { RaterCoverage, StoredRaters } from '../../schemas/audit/stored-agreement.ts'
import { LABELS } from '../../schemas/vocabulary.ts'
import { nextTurn } from '../disagreements/next-turn.ts'
import { type QuestionStores, readSelected } from '../disagreements/question-selection.ts'
import type { QuestionRow } from '../disagreements/standing-opinions.ts'
import { questionOfReview, readStandingReviews } from '../disagreements/standing-reviews.ts'
import { parseRaters, type RaterWord } from '../report/rater-words.ts'
import { answersOf, categoryOf, type HumanRow } from './stored-raters.ts'

/** More make an answer of many seconds; ten thousand questions of a hundred raters. */
const MAX_STORED_RATINGS = 1_000_000
const TURN = 500

interface StoredRatings {
  readonly request: Required<Pick<AgreementRequest, 'ratings' | 'labels'>>
  readonly coverage: RaterCoverage[]
}

/**
 * The ratings of stored raters, one item for each question. What gives no rating is counted, never filled in.
 *
 * @returns issues with JSON pointers into the request: a word that names no rater, signals of what is not measured, too many ratings.
 */
export async function readStoredRatings(
  stores: QuestionStores & { readonly reviews: ReviewStore },
  stored: StoredRaters,
): Promise<Result<StoredRatings, Issue[]>> {
  const measure = stored.measure ?? 'label'
  const words = parseRaters(stored.raters, measure)
  if (!words.ok) return words
  const questions = await readSelected(stores, stored.query)
  const humans = await readHumans(stores.reviews, words.value, questions)
  const raters = startRaters(words.value, humans)
  let [items, ratings] = [0, 0]
  for (const row of questions.values()) {
    ratings += rate(row, String(items++), words.value, humans.get(row.question) ?? [], measure, raters)
    if (ratings > MAX_STORED_RATINGS) return err([TOO_MANY])
    if (items % TURN === 0) await nextTurn()
  }
  const named = [...raters.values()].sort((one, other) => one.word - other.word)
  const labels = measure === 'label' ? [...LABELS] : [categoryOf(true), categoryOf(false)]
  return ok({
    request: { ratings: named.flatMap((one) => one.ratings), labels },
    coverage: named.map(({ counts }) => complete(counts, items)),
  })
}

const TOO_MANY: Issue = {
  path: '/stored/query',
  message: `gives more than ${MAX_STORED_RATINGS} ratings: choose fewer questions or raters`,
}

type Counts = { -readonly [Field in keyof RaterCoverage]: RaterCoverage[Field] }

/** Raters stand in the order of the words that name them, so that the first has the rows of the confusion matrix. */
interface StoredRater {
  readonly word: number
  readonly counts: Counts
  readonly ratings: Rating[]
}
type Raters = Map<string, StoredRater>

function raterOf(raters: Raters, rater: string, word: number): StoredRater {
  const known = raters.get(rater)
  if (known !== undefined) return known
  const counts = { rater, n: 0, graded: 0, unverified: 0, failed: 0, cancelled: 0, undecided: 0, missing: 0 }
  const started: StoredRater = { word, counts, ratings: [] }
  raters.set(rater, started)
  return started
}

/** Those whose names are known before any answer: one without an answer is shown as missing everywhere. */
function startRaters(words: readonly RaterWord[], humans: ReadonlyMap<string, readonly HumanRow[]>): Raters {
  const raters: Raters = new Map()
  for (const [index, { kind, word }] of words.entries()) {
    if (kind === 'judge' || kind === 'human' || kind === 'signals') raterOf(raters, word, index)
    if (kind !== 'humans') continue
    for (const rows of humans.values()) for (const { rater } of rows) raterOf(raters, `human:${rater}`, index)
  }
  return raters
}

/** Answers how many ratings the question has. A rater that two words name rates once. */
function rate(
  row: QuestionRow,
  item: string,
  words: readonly RaterWord[],
  humans: readonly HumanRow[],
  measure: NonNullable<StoredRaters['measure']>,
  raters: Raters,
): number {
  const rated = new Set<string>()
  let ratings = 0
  for (const [index, word] of words.entries()) {
    for (const answer of answersOf(word, row, humans, measure)) {
      if (rated.has(answer.rater)) continue
      rated.add(answer.rater)
      const rater = raterOf(raters, answer.rater, index)
      if ('without' in answer) {
        rater.counts[answer.without]++
        continue
      }
      rater.counts.graded++
      ratings++
      rater.ratings.push({ item, rater: answer.rater, label: answer.rating, ...(row.task && { cluster: row.task }) })
    }
  }
  return ratings
}

const complete = (one: RaterCoverage, n: number): RaterCoverage => ({
  ...one,
  n,
  missing: n - one.graded - one.unverified - one.failed - one.cancelled - one.undecided,
})

/** Standing reviews by question, where any word asks for them. */
async function readHumans(
  store: ReviewStore,
  words: readonly RaterWord[],
  questions: ReadonlyMap<string, unknown>,
): Promise<Map<string, HumanRow[]>> {
  const humans = new Map<string, HumanRow[]>()
  if (!words.some(({ kind }) => kind === 'human' || kind === 'humans')) return humans
  for await (const review of readStandingReviews(store)) {
    const question = questionOfReview(review)
    if (!questions.has(question)) continue
    const rows = humans.get(question) ?? []
    rows.push({ rater: review.rater, label: review.label, claims: review.claims })
    humans.set(question, rows)
  }
  return humans
}
