import { claimOfLabel } from '../../domain/rubric/label-claims.ts'
import type { Review } from '../../schemas/audit/review.ts'
import type { AgreementMeasure } from '../../schemas/audit/stored-agreement.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import { latestOpinions, type OpinionRow, type QuestionRow } from '../disagreements/standing-opinions.ts'
import { namesJudge, type RaterWord } from '../report/rater-words.ts'

/** A human’s standing answer to a question, as much as a rating needs. */
export interface HumanRow {
  readonly rater: string
  readonly label: Label | null
  readonly claims: Review['claims']
}

/** What a rater has of one question: a rating, or why there is none. */
type Answered =
  | { readonly rater: string; readonly rating: string }
  | { readonly rater: string; readonly without: 'unverified' | 'failed' | 'cancelled' | 'undecided' }

/** The category of a claim; the labels are their own. */
export const categoryOf = (claim: boolean): string => (claim ? 'yes' : 'no')

/** Every answer that a rater word has to one question; none where it was not asked. */
export function answersOf(
  word: RaterWord,
  question: QuestionRow,
  humans: readonly HumanRow[],
  measure: AgreementMeasure,
): Answered[] {
  switch (word.kind) {
    case 'judge':
      return answersOfJudge(
        question,
        word,
        () => true,
        (opinion) => [answerOfJudge(word.word, opinion, measure)],
      )
    case 'samples':
      return answersOfJudge(question, word, hasVotes, (opinion) => answersOfSamples(word.word, opinion, measure))
    case 'human':
      return humans.filter(({ rater }) => rater === word.name).map((human) => answerOfHuman(human, measure))
    case 'humans':
      return humans.map((human) => answerOfHuman(human, measure))
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

function answerOfJudge(rater: string, opinion: OpinionRow, measure: AgreementMeasure): Answered {
  const { status, label } = opinion
  if (status !== 'graded' || label === null) return { rater, without: status === 'failed' ? 'failed' : 'unverified' }
  if (measure === 'label') return { rater, rating: label }
  return { rater, rating: categoryOf(opinion[measure] ?? claimOfLabel(label, measure)) }
}

/** A grade of one sample has no votes: it is its own. */
function answersOfSamples(word: string, opinion: OpinionRow, measure: AgreementMeasure): Answered[] {
  const votes = opinion.votes.length > 0 ? opinion.votes : [opinion]
  return votes.map(({ status, label }, index) => {
    const rater = `${word}#${index}`
    if (label === null) return { rater, without: status === 'failed' ? 'failed' : 'unverified' }
    return { rater, rating: ratingOf(label, measure) }
  })
}

function answerOfHuman({ rater: name, label, claims }: HumanRow, measure: AgreementMeasure): Answered {
  const rater = `human:${name}`
  if (label === null) return { rater, without: 'undecided' }
  const claim = measure === 'label' ? undefined : claims?.[measure]
  return { rater, rating: claim === undefined ? ratingOf(label, measure) : categoryOf(claim) }
}

function answerOfSignals(rater: string, { signals }: QuestionRow, measure: AgreementMeasure): Answered[] {
  const measured =
    measure === 'observed' ? signals.appeared : measure === 'distractor_acted' ? signals.executed : undefined
  return measured === undefined ? [] : [{ rater, rating: categoryOf(measured) }]
}

const ratingOf = (label: Label, measure: AgreementMeasure): string =>
  measure === 'label' ? label : categoryOf(claimOfLabel(label, measure))
