import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { latestOpinions, type OpinionRow, type QuestionRow } from '../disagreements/standing-opinions.ts'
import type { ReviewRow } from '../disagreements/standing-reviews.ts'
import { categoryOf, type Measure } from './measure.ts'

/** What a rater word means. The name of a judge may go on with `@` and a rubric. */
export interface RaterWord {
  readonly kind: 'judge' | 'samples' | 'human' | 'humans' | 'signals'
  readonly word: string
  readonly name: string
}

/**
 * Reads rater words; issues at `/stored/raters/{index}`.
 *
 * @param measured what the harness measures.
 */
export function parseRaters(
  words: readonly string[],
  measure: Measure,
  measured: readonly string[],
): Result<RaterWord[], Issue[]> {
  const issues: Issue[] = []
  const raters = words.flatMap((word, index) => {
    const rater = parseRater(word)
    const message = rater === null ? WANTED : rater.kind === 'signals' ? signalsFault(measure, measured) : null
    if (message !== null) issues.push({ path: `/stored/raters/${index}`, message })
    return rater === null ? [] : [rater]
  })
  return issues.length > 0 ? err(issues) : ok(raters)
}

const WANTED = 'must be judge:<name>, judge:<name>@<rubric>, samples:<name>, human:<name>, humans or signals'

function signalsFault({ word, measured_by }: Measure, measured: readonly string[]): string | null {
  if (measured_by !== null) return null
  const instead = measured.length > 0 ? `take the measure ${measured.join(' or ')}` : 'this rubric has no such claim'
  return `the harness measures no ${word}; ${instead}`
}

function parseRater(word: string): RaterWord | null {
  if (word === 'humans' || word === 'signals') return { kind: word, word, name: '' }
  const colon = word.indexOf(':')
  const kind = word.slice(0, Math.max(0, colon))
  const name = word.slice(colon + 1)
  const isNamed = kind === 'judge' || kind === 'samples' || kind === 'human'
  return isNamed && name !== '' ? { kind, word, name } : null
}

/** A judge’s name alone means it under whichever rubric. */
export const namesJudge = (
  name: string,
  { judge, rubric }: { readonly judge: string; readonly rubric: string },
): boolean => judge === name || `${judge}@${rubric}` === name

/** What a rater has of one question: a rating, or why there is none. */
type Answered =
  | { readonly rater: string; readonly rating: string }
  | { readonly rater: string; readonly without: 'unverified' | 'failed' | 'cancelled' | 'undecided' }

/** Every answer that a rater word has to one question; none where it was not asked. */
export function answersOf(
  word: RaterWord,
  question: QuestionRow,
  humans: readonly ReviewRow[],
  measure: Measure,
): Answered[] {
  switch (word.kind) {
    case 'judge':
      return answersOfJudge(
        question,
        word,
        () => true,
        (opinion) => answerOfJudge(word.word, opinion, measure),
      )
    case 'samples':
      return answersOfJudge(question, word, hasVotes, (opinion) => answersOfSamples(word.word, opinion, measure))
    case 'human':
      return humans.filter(({ rater }) => rater === word.name).flatMap((human) => answerOfHuman(human, measure))
    case 'humans':
      return humans.flatMap((human) => answerOfHuman(human, measure))
    case 'signals':
      return answerOfSignals(word.word, question, measure)
  }
}

const hasVotes = ({ votes }: OpinionRow): boolean => votes.length > 0

/** What the judge said, in the batch where one was named, else wherever; none where it was never asked. */
function answersOfJudge(
  { opinions, ungraded, others }: QuestionRow,
  { kind, word, name }: RaterWord,
  isWished: (opinion: OpinionRow) => boolean,
  read: (opinion: OpinionRow) => Answered[],
): Answered[] {
  const own = latestOf(name, opinions, isWished)
  if (own !== undefined) return read(own)
  const without = ungraded.find((one) => namesJudge(name, one))?.status
  if (without !== undefined) return [{ rater: kind === 'samples' ? `${word}#0` : word, without }]
  const other = latestOf(name, others, isWished)
  return other === undefined ? [] : read(other)
}

/** The latest opinion of the judge; of the wished ones where there are any. */
function latestOf(
  name: string,
  opinions: readonly OpinionRow[],
  isWished: (opinion: OpinionRow) => boolean,
): OpinionRow | undefined {
  const own = opinions.filter((one) => namesJudge(name, one))
  const wished = own.filter(isWished)
  const latest = latestOpinions(wished.length > 0 ? wished : own)
  return latest.find(({ status }) => status !== 'failed') ?? latest[0]
}

function answerOfJudge(rater: string, { status, label, claims }: OpinionRow, measure: Measure): Answered[] {
  if (status !== 'graded' || label === null) return [{ rater, without: status === 'failed' ? 'failed' : 'unverified' }]
  return rated(rater, measure.rate(label, claims))
}

/** A grade of one sample has no votes: it is its own. */
function answersOfSamples(word: string, opinion: OpinionRow, measure: Measure): Answered[] {
  if (opinion.votes.length === 0) return answerOfJudge(`${word}#0`, opinion, measure)
  return opinion.votes.flatMap(({ status, label }, index): Answered[] => {
    const rater = `${word}#${index}`
    if (label === null) return [{ rater, without: status === 'failed' ? 'failed' : 'unverified' }]
    return rated(rater, measure.rate(label, null))
  })
}

const answerOfHuman = ({ rater, label, claims }: ReviewRow, measure: Measure): Answered[] =>
  label === null
    ? [{ rater: `human:${rater}`, without: 'undecided' }]
    : rated(`human:${rater}`, measure.rate(label, claims))

function answerOfSignals(rater: string, { signals }: QuestionRow, { measured_by }: Measure): Answered[] {
  const measured = measured_by === null ? undefined : signals[measured_by]
  return measured === undefined ? [] : [{ rater, rating: categoryOf(measured) }]
}

/** Nothing where nothing is said of it. */
const rated = (rater: string, rating: string | null | undefined): Answered[] =>
  rating === undefined ? [] : [rating === null ? { rater, without: 'undecided' } : { rater, rating }]
