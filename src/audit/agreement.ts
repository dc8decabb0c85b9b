import type { Issue } from '../domain/result.ts'
import { type ClaimValues, claimIdOf, claimsOfOutcome, claimWord, newestRubric } from '../domain/rubric/claims.ts'
import type { ClaimRule, ClaimValue, Rubric } from '../domain/rubric/rubric.ts'
import type { Agreement, AgreementCall, StoredRaters } from '../schemas/agreement.ts'
import { MAX_AGREEMENT_LABELS, type Rating, type Scale } from '../schemas/agreement.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'
import type { Signal } from '../schemas/trial.ts'
import type { Label } from '../schemas/vocabulary.ts'
import { PROVENANCES, type Provenance, rubricIdOf, TAB_BEHAVIOR } from '../schemas/vocabulary.ts'
import { type Judged, tallyEvidence } from './clashes.ts'
import { type AuditContext, requireNames } from './names.ts'
import { clustersOfRepeated } from './report/rows.ts'
import { isOfAgent, type ReviewRow, standingReviewsOf } from './reviews.ts'
import type { Compute } from './statistics-worker.ts'
import { inTurns, latestOpinions, nameOf, type OpinionRow, type QuestionRow, readSelected } from './trials.ts'

/** Computes the agreement of given or stored raters. Throws a RequestError for names and ratings that do not fit. */
export async function computeAgreement(
  context: AuditContext,
  compute: Compute,
  call: AgreementCall,
): Promise<Agreement> {
  const { ratings, stored, labels, scale, bootstrap } = call
  await requireNames(context, { rubric: stored?.rubric }, '/stored')
  await requireNames(context, stored?.query ?? {}, '/stored/query')
  if (stored === undefined && ratings === undefined)
    throw invalid('there is nothing to compare', [{ path: '/ratings', message: 'is required without stored' }])
  const beside = Object.entries({ ratings, labels, scale }).filter(([, value]) => value !== undefined)
  const faults = beside.map(([name]) => ({ path: `/${name}`, message: 'does not go with stored' }))
  if (stored !== undefined && faults.length > 0) throw invalid('give ratings or stored, not both', faults)
  const { request, coverage, evidence_agreement } =
    stored === undefined
      ? { request: { ratings: ratings ?? [], ...(labels && { labels }), ...(scale && { scale }) } }
      : await readStoredRatings(context, stored)
  const computed = await compute('agreement', { ...request, ...(bootstrap && { bootstrap }) })
  if (!computed.ok) throw invalid('the agreement of these ratings cannot be computed', computed.error)
  return { ...computed.value, ...(coverage && { coverage }), ...(evidence_agreement && { evidence_agreement }) }
}

const invalid = (detail: string, errors: readonly Issue[]) => new RequestError('invalid_request', detail, { errors })

/** The meaning of a rater word. The name of a judge may continue with `@` and a rubric. */
type RaterWord = ReturnType<typeof parseRaters>[number]

/** Parses rater words, whose form the schema of the call has checked. Throws a RequestError for `signals` of a measure that the harness lacks. */
function parseRaters(words: readonly string[], measure: Measure, rubric: Rubric | null) {
  const measured = (rubric?.claims ?? []).flatMap(({ id, measured_by }) => (measured_by === null ? [] : claimWord(id)))
  const instead = measured.length > 0 ? `take the measure ${measured.join(' or ')}` : 'this rubric has no such claim'
  const at = words.indexOf('signals')
  if (at !== -1 && measure.measured_by === null)
    throw incomparable(`/stored/raters/${at}`, `the harness measures no ${measure.word}; ${instead}`)
  return words.map((word) => {
    const [kind = ''] = word.split(':', 1)
    return {
      kind: kind as 'judge' | 'samples' | 'human' | 'humans' | 'signals',
      word,
      name: word.slice(kind.length + 1),
    }
  })
}

/** Tells whether a name means a judge: the judge's name alone means it under every rubric. */
const namesJudge = (name: string, opinion: Pick<OpinionRow, 'judge' | 'rubric'>): boolean =>
  opinion.judge === name || nameOf(opinion) === name

const ENDS = ['graded', 'unverified', 'failed', 'cancelled', 'undecided'] as const
/** The answer of a rater to a question; `rating` is present exactly for an answer that ended as `graded`. */
interface Answer {
  readonly rater: string
  readonly end: (typeof ENDS)[number]
  readonly rating?: string
  readonly provenance?: Provenance | undefined
}

/** Makes the answer of a rating; none where the rater said nothing. */
function rated(rater: string, rating: string | null | undefined, provenance?: Provenance): Answer[] {
  if (rating === undefined) return []
  return [rating === null ? { rater, end: 'undecided' } : { rater, end: 'graded', rating, provenance }]
}

/** Lists every answer that a rater word has to a question; none where the rater was not asked. */
function answersOf(word: RaterWord, question: QuestionRow, humans: readonly ReviewRow[], measure: Measure): Answer[] {
  const { measured_by, rate } = measure
  if (asksJudge(word)) return answersOfJudge(word, opinionOf(word, question), measure)
  if (word.kind === 'signals')
    return rated(word.word, measured_by === null ? undefined : categoryOf(question.signals[measured_by]), 'environment')
  return humans
    .filter((review) => (word.kind === 'humans' ? !isOfAgent(review) : review.rater === word.name))
    .flatMap(({ rater, label, claims, provenance = 'human' }) =>
      rated(`human:${rater}`, label === null ? null : rate(label, claims), provenance),
    )
}

const asksJudge = ({ kind }: RaterWord): boolean => kind === 'judge' || kind === 'samples'

/** Finds the opinion of a judge in the named batch, or its end there without one, else its opinion in any; undefined: the judge was never asked. */
const opinionOf = (word: RaterWord, { opinions, ungraded, others }: QuestionRow) =>
  latestOf(word, opinions) ?? ungraded.find((one) => namesJudge(word.name, one)) ?? latestOf(word, others)

/** Finds the latest opinion of the judge; for its samples an opinion with votes, if any. */
function latestOf({ kind, name }: RaterWord, opinions: readonly OpinionRow[]): OpinionRow | undefined {
  const own = opinions.filter((opinion) => namesJudge(name, opinion))
  const voted = kind === 'samples' ? own.filter(({ votes }) => votes.length > 0) : []
  const latest = latestOpinions(voted.length > 0 ? voted : own)
  return latest.find(({ status }) => status !== 'failed') ?? latest[0]
}

/** Lists the answer of a judge, or of each of its samples: a grade of a single sample has no votes and is its own. */
function answersOfJudge({ kind, word }: RaterWord, found: ReturnType<typeof opinionOf>, measure: Measure): Answer[] {
  if (found === undefined) return []
  const raterOf = (index: number): string => (kind === 'samples' ? `${word}#${index}` : word)
  if (!('id' in found)) return [{ rater: raterOf(0), end: found.status }]
  const isSampled = kind === 'samples' && found.votes.length > 0
  return (isSampled ? found.votes : [found]).flatMap(({ status, label }, index): Answer[] => {
    const rater = raterOf(index)
    if (label !== null && (isSampled || status === 'graded'))
      return rated(rater, measure.rate(label, isSampled ? null : found.claims))
    return [{ rater, end: status === 'failed' ? 'failed' : 'unverified' }]
  })
}

/** Lists the labels and quotes of the judges, and of the samples, that the words name. */
const judgedBy = (words: readonly RaterWord[], question: QuestionRow): Judged[] =>
  words.filter(asksJudge).flatMap((word) => {
    const found = opinionOf(word, question)
    if (found === undefined || !('id' in found)) return []
    const own = word.kind === 'judge' ? { votes: [] } : { label: null }
    return [{ ...found, ...own, rater: word.word }]
  })

/** Bounds the ratings of one answer to ten thousand questions of a hundred raters; more would take many seconds. */
const MAX_STORED_RATINGS = 1_000_000

/** Reads the ratings of stored raters, one item per question; an answer without a rating is counted, never filled in. Throws a RequestError. */
async function readStoredRatings(context: AuditContext, stored: StoredRaters) {
  const selected = await readSelected(context, stored.query)
  const id = chooseRubric(selected.values(), stored)
  const rubric = newestRubric(context.rubrics, id)
  const measure = findMeasure(stored.measure ?? 'label', rubric)
  const words = parseRaters(stored.raters, measure, rubric)
  const questions = new Map([...selected].filter(([, row]) => row.rubric === id))
  const asksHumans = words.some(({ kind }) => kind === 'human' || kind === 'humans')
  const humans: Reviews = asksHumans ? await standingReviewsOf(context.stores.reviews, questions) : new Map()
  const answers: Gathered[] = []
  const clusterOf = clustersOfRepeated(questions.values())
  const evidence = tallyEvidence()
  let [items, given] = [0, 0]
  for await (const [subject, row] of inTurns(questions)) {
    evidence.count(judgedBy(words, row))
    const cluster = clusterOf(row)
    const item = { item: String(items++), ...(cluster !== null && { cluster }) }
    const all = words.flatMap((word, at) =>
      answersOf(word, row, humans.get(subject) ?? [], measure).map((answer) => ({ ...answer, word: at, item })),
    )
    // A rater that two words name rates once.
    const firsts = [...Map.groupBy(all, ({ rater }) => rater).values()].flatMap(([first]) => first ?? [])
    answers.push(...firsts)
    given += firsts.filter(({ rating }) => rating !== undefined).length
    const tooMany = `gives more than ${MAX_STORED_RATINGS} ratings: choose fewer questions or raters`
    if (given > MAX_STORED_RATINGS) throw incomparable('/stored/query', tooMany)
  }
  const raters = ratersOf(words, humans, answers)
  const ofRater = Map.groupBy(answers, ({ rater }) => rater)
  const ratings = raters.flatMap((rater) => (ofRater.get(rater) ?? []).flatMap(toRating))
  const occurring = new Set(ratings.map(({ label }) => label))
  // Ratings that the measure lacks are of an older version of the rubric.
  const labels = measure.categories && [...new Set([...measure.categories, ...[...occurring].sort()])]
  const tooMany = `has ${occurring.size} different values here, and at most ${MAX_AGREEMENT_LABELS} are compared: choose fewer questions, or another measure`
  if (Math.max(labels?.length ?? 0, occurring.size) > MAX_AGREEMENT_LABELS)
    throw incomparable('/stored/measure', tooMany)
  const { scale } = measure
  return {
    request: { ratings, ...(labels && { labels }), ...(scale !== 'nominal' && { scale }) },
    coverage: raters.map((rater) => coverageOf(rater, ofRater.get(rater) ?? [], items)),
    // The quotes are those behind the label.
    ...((measure.word === 'label' || measure.word === 'outcome') && { evidence_agreement: evidence.list() }),
  }
}

type Reviews = ReadonlyMap<string, readonly ReviewRow[]>
/** An answer to an item, by the place of the word that names its rater. */
type Gathered = Answer & { readonly word: number; readonly item: Pick<Rating, 'item' | 'cluster'> }

const toRating = ({ item, rater, rating }: Gathered): Rating[] =>
  rating === undefined ? [] : [{ ...item, rater, label: rating }]

function coverageOf(rater: string, answers: readonly Answer[], items: number) {
  const ends = answers.map(({ end }) => end)
  const provenances = answers.flatMap(({ provenance }) => provenance ?? [])
  const provenance = provenances.length > 0 && { provenance: countEach(PROVENANCES, provenances) }
  return { rater, n: items, ...countEach(ENDS, ends), missing: items - answers.length, ...provenance }
}

const countEach = <Word extends string>(words: readonly Word[], all: readonly Word[]) =>
  Object.fromEntries(words.map((word) => [word, all.filter((one) => one === word).length])) as Record<Word, number>

/** Chooses the rubric of the ratings. Different rubrics ask different questions, so their answers are never compared. */
function chooseRubric(rows: Iterable<QuestionRow>, { rubric, query }: StoredRaters): string {
  const named = rubric ?? query?.rubric
  if (named !== undefined) return rubricIdOf(named)
  const [first = TAB_BEHAVIOR, ...more] = new Set([...rows].map((row) => row.rubric))
  if (more.length === 0) return first
  const message = `is needed: these questions were graded by ${[first, ...more].sort().join(', ')}, and different rubrics are never compared`
  throw incomparable('/stored/rubric', message)
}

/** Lists the raters in the order of their words, those without an answer too: the first has the rows of the confusion matrix. */
function ratersOf(words: readonly RaterWord[], humans: Reviews, answers: readonly Gathered[]): string[] {
  const reviews = [...humans.values()].flat().filter((review) => !isOfAgent(review))
  const named = words.flatMap(({ kind, word }, at) => {
    if (kind === 'humans') return reviews.map(({ rater }) => `human:${rater}`)
    return kind === 'samples' ? answers.filter((answer) => answer.word === at).map(({ rater }) => rater) : [word]
  })
  return [...new Set(named)]
}

/** The measure by which raters are compared: the label, the outcome, or one claim. */
interface Measure {
  readonly word: string
  readonly scale: Scale
  /** All possible ratings in order; null where only the given ratings are known. */
  readonly categories: readonly string[] | null
  readonly measured_by: Signal | null
  /** Returns the rating of a verdict. Null: the rater was undecided; undefined: the rater gave no rating. */
  readonly rate: (label: Label, claims: ClaimValues | null) => string | null | undefined
}

/** Makes the refusal of raters or of a measure, with the place in the request. */
const incomparable = (path: string, message: string): RequestError =>
  faultAt(path, message, 'invalid_request', 'these raters cannot be compared')

/** Finds the measure of a rubric by name. Throws a RequestError at `/stored/measure` where the rubric has no such measure. */
function findMeasure(word: string, rubric: Rubric | null): Measure {
  if (word === 'label' || word === 'outcome')
    return { word, measured_by: null, rate: (label) => label, ...formOfOutcome(rubric) }
  const claim = rubric?.claims.find(({ id }) => id === claimIdOf(word))
  if (rubric !== null && claim !== undefined && claim.type !== 'list') return claimMeasure(word, claim, rubric)
  const there = ['label', ...(rubric?.claims ?? []).filter(({ type }) => type !== 'list').map(({ id }) => id)]
  const whose = rubric === null ? 'of a rubric that is not loaded' : `of ${rubric.name}`
  throw incomparable('/stored/measure', `is no measure ${whose}; there are: ${there.join(', ')}`)
}

function formOfOutcome(rubric: Rubric | null): Pick<Measure, 'scale' | 'categories'> {
  if (rubric === null) return { scale: 'nominal', categories: null }
  const { outcome, claims } = rubric
  if (outcome.kind !== 'sum') return { scale: outcome.scale, categories: outcome.labels }
  const parts = claims.filter(({ id }) => outcome.claims.includes(id))
  const sumOf = (end: 'minimum' | 'maximum') => parts.reduce((sum, one) => sum + one[end], 0)
  return { scale: 'interval', categories: rangeOf(sumOf('minimum'), sumOf('maximum')) }
}

function claimMeasure(word: string, claim: ClaimRule, rubric: Rubric): Measure {
  const { id, type, measured_by, values, minimum, maximum } = claim
  const range = rangeOf(minimum, maximum)
  const categories: Partial<Record<typeof type, Measure['categories']>> = {
    boolean: ['yes', 'no'],
    enum: values,
    integer: range,
  }
  const { outcome } = rubric
  const isOrdered = outcome.kind === 'label' && outcome.claims[0] === id && outcome.scale === 'ordinal'
  return {
    word,
    measured_by,
    scale: type === 'integer' ? 'interval' : isOrdered ? 'ordinal' : 'nominal',
    categories: categories[type] ?? null,
    rate: (label, claims) => {
      const value = claims?.[id] ?? claimsOfOutcome(rubric, label)[id] ?? claims?.[id]
      // A claim that may not be unclear and has no value does not apply.
      return value === null && claim.unclear === 'never' ? undefined : categoryOf(value)
    },
  }
}

/** Lists the values of a range; null for a wider range, whose categories are the given ratings. */
const rangeOf = (minimum: number, maximum: number): readonly string[] | null =>
  maximum - minimum < MAX_AGREEMENT_LABELS
    ? Array.from({ length: maximum - minimum + 1 }, (_, index) => String(minimum + index))
    : null

/** Returns the rating that a value of a claim is; null and undefined stay. */
const categoryOf = (value: ClaimValue | undefined): string | null | undefined =>
  value === null || value === undefined ? value : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
