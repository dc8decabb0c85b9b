import { type GradeStore, questionOf } from '../db/grades.ts'
import { decidingClaims, holds, overlapOf } from '../domain/evidence/citations.ts'
import { claimsOfGrade, type Rubrics } from '../domain/rubric/claims.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { areOneModel, count, notesOf } from '../domain/words.ts'
import type { Grade } from '../schemas/grade.ts'
import { orNotFound } from '../schemas/problem.ts'
import type { PanelResult } from '../schemas/review.ts'
import { CONFIDENCE_LEVELS, type ConfidenceLevel, type Label } from '../schemas/vocabulary.ts'
import { pairsOf, tallyEvidence } from './clashes.ts'
import { evidenceOf, latestOpinions } from './trials.ts'

type Support = PanelResult['support']
type Graded = Grade & { readonly label: Label }

/** Reads the standing grades of the question of a grade, and their result. Throws 404 for an unknown grade. */
export async function readPanel(grades: GradeStore, rubrics: Rubrics, id: string) {
  const grade = orNotFound(await grades.get(id), 'grade', id)
  const items = (await grades.listForQuestion(questionOf(grade))).map((standing) => standing.grade)
  return { items, result: panelResult(grade, items, rubrics) }
}

/** Derives the result of all judges of a question. Where two different models agree by quotes that overlap, `low` becomes `medium`. */
export function panelResult({ receipt }: Grade, standing: readonly Grade[], rubrics: Rubrics): PanelResult {
  const { rubric, rubric_digest } = receipt
  const own = standing.filter((grade) => grade.receipt.rubric_digest === rubric_digest)
  const opinions = latestOpinions(
    own.map((grade) => ({ id: grade.id, judge: grade.receipt.judge, rubric, status: grade.status, grade })),
  ).map(({ grade }) => grade)
  const graded = opinions.filter((grade): grade is Graded => grade.label !== null)
  const loaded = rubrics.get(rubric)
  const asked = loaded?.digest === rubric_digest ? loaded : null
  const evidence = tallyEvidence()
  evidence.count(graded.map((grade) => ({ rater: grade.receipt.judge, ...evidenceOf(grade, asked) })))
  const shared = { rubric, evidence_agreement: evidence.list() }
  const [label, ...others] = new Set(graded.map((grade) => grade.label))
  if (label === undefined) return { ...shared, label: null, level: null, support: none([], 'no judge gives a label') }
  if (others.length > 0) {
    const opposed = graded.map((grade) => `${nameOf(grade)} says ${grade.label}`)
    const support = none(graded, `the judges disagree: ${listed(opposed)}`)
    return { ...shared, label: null, level: null, support }
  }
  const levels = graded.map(({ confidence }) => CONFIDENCE_LEVELS.indexOf(confidence.reported ?? 'low'))
  const level = CONFIDENCE_LEVELS[Math.max(...levels)] ?? 'low'
  const support = supportOf(opinions, graded, level, asked)
  return { ...shared, label, level: support.lifted ? 'medium' : level, support }
}

/** Finds the support of a label. `opinions`: latest grade of each judge; `graded`: those with the label, at best at `level`; null: not loaded. */
function supportOf(
  opinions: readonly Grade[],
  graded: readonly Graded[],
  level: ConfidenceLevel,
  rubric: Rubric | null,
): Support {
  const label = graded[0]?.label
  const models = graded.filter((grade) => modelOf(grade) !== null)
  const [first] = models
  if (first === undefined || !pairsOf(models).some(isOfTwo))
    return none(graded, `support takes two different models, and ${label} is the label of ${namesOf(graded)}`)
  if (rubric === null)
    return none(graded, `the rubric ${first.receipt.rubric} is not loaded, and its claims cannot be compared`)
  const deciding = decidingClaims(rubric)
  const claimsText = (grade: Grade) => JSON.stringify(deciding.map((id) => claimsOfGrade(grade)?.[id] ?? null))
  if (new Set(graded.map(claimsText)).size > 1)
    return none(graded, `${namesOf(graded)} give ${label} by different claims`)
  const quotes = new Map(models.map((grade) => [grade, evidenceOf(grade, rubric).quotes ?? {}]))
  const cited = Object.keys(quotes.get(first) ?? {})
  if (cited.length === 0) return none(graded, `${namesOf(models)} give ${label}, which rests on no quote`)
  const overlaps = pairsOf(models)
    .filter(isOfTwo)
    .map((pair) => ({ pair, ...overlapOf(quotes.get(pair[0]) ?? {}, quotes.get(pair[1]) ?? {}) }))
  const whole = overlaps.filter(({ apart }) => apart.length === 0)
  if (whole.length === 0) {
    const apart = cited.find((claim) => overlaps.every((overlap) => overlap.apart.includes(claim)))
    const which = apart === undefined ? 'no two models overlap for every claim' : `no quotes of ${apart} overlap`
    const reason = `${namesOf(models)} give ${label} from disjoint quotes (${which}): nothing is lifted`
    return { ...none(models, reason), kind: 'disjoint' }
  }
  const grades = models.filter((grade) => whole.some(({ pair }) => pair.includes(grade)))
  const steps = [...new Set(whole.flatMap((overlap) => [...overlap.steps]))].sort((a, b) => a - b)
  const shown = [...steps.slice(0, MOST_STEPS).map(String), ...(steps.length > MOST_STEPS ? ['others'] : [])]
  const agree = `${namesOf(grades)} give ${label} from quotes that overlap in ${steps.length === 1 ? 'step' : 'steps'} ${listed(shown)}`
  const alone = `a grade alone is ${level}${level === 'high' ? '' : ', and support never makes a result high'}`
  const obstacle = level === 'low' ? (opinions.map(obstacleOf).find((one) => one !== null) ?? null) : alone
  const effect =
    obstacle === null ? 'the panel’s result is medium, each grade alone is low' : `nothing is lifted, since ${obstacle}`
  return { ...none(grades, `${agree}: ${effect}`), kind: 'overlapping', lifted: obstacle === null, steps }
}

const MOST_STEPS = 5

const none = (grades: readonly Grade[], reason: string): Support => {
  const sources = grades.map((grade) => ({ grade_id: grade.id, judge: grade.receipt.judge, model: modelOf(grade) }))
  return { kind: 'none', lifted: false, grades: sources, steps: [], reason }
}

const modelOf = ({ receipt }: Grade): string | null => receipt.model_resolved ?? receipt.model_requested

const nameOf = (grade: Grade): string => `${grade.receipt.judge} (${modelOf(grade) ?? 'no model'})`
const namesOf = (grades: readonly Grade[]): string => listed(grades.map(nameOf))
const listed = (words: readonly string[]): string => new Intl.ListFormat('en-GB').format(words)

/** Tells whether two grades are of different models. */
const isOfTwo = ([one, other]: readonly [Grade, Grade]): boolean => !areOneModel(modelNames(one), modelNames(other))
const modelNames = ({ receipt }: Grade) => [receipt.model_resolved, receipt.model_requested]

/** Returns the reason why a grade forbids a lift of its panel; null without one. */
function obstacleOf(grade: Grade): string | null {
  const { status, confidence, contradictions, citations, votes, receipt } = grade
  const { coverage, unread } = receipt
  const name = nameOf(grade)
  const contradiction = contradictions.find(({ supportable }) => supportable !== true)
  const unverified = citations.filter((citation) => !holds(citation.status)).length
  const isWholeRun =
    coverage.elided_chars === 0 &&
    coverage.steps_shown >= coverage.steps_total &&
    coverage.media_parts <= (coverage.media_shown ?? 0) &&
    (unread?.records ?? 0) === 0
  const [obstacle = null] = notesOf({
    [`${name} failed`]: status === 'failed',
    [`the evidence of ${name} does not hold`]: status === 'unverified',
    [`the grade of ${name} is of older rules of evidence`]: confidence.limit === undefined,
    [`the grade of ${name} has a contradiction (${contradiction?.code})`]: contradiction !== undefined,
    [`${count(unverified, 'quote')} of ${name} ${unverified === 1 ? 'does' : 'do'} not hold`]: unverified > 0,
    [`the samples of ${name} differ`]: votes.some(({ label }) => label !== grade.label),
    [`${name} did not read the whole run`]: !isWholeRun,
  })
  return obstacle
}
