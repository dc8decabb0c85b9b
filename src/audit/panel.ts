import { type GradeStore, questionOf } from '../db/grades.ts'
import { holds } from '../domain/evidence/citations.ts'
import { pushTo } from '../domain/result.ts'
import { claimsOfGrade, type Rubrics } from '../domain/rubric/claim-values.ts'
import { flatten } from '../domain/rubric/claims.ts'
import { decisiveClaims } from '../domain/rubric/outcome.ts'
import { proofOf, type Rubric } from '../domain/rubric/rubric.ts'
import { count } from '../domain/words.ts'
import type { Grade } from '../schemas/grade.ts'
import { orNotFound } from '../schemas/problem.ts'
import type { PanelResult } from '../schemas/review.ts'
import { CONFIDENCE_LEVELS, type ConfidenceLevel, type Label } from '../schemas/vocabulary.ts'
import { pairsOf } from './clashes.ts'
import { latestOpinions } from './trials.ts'

type Support = PanelResult['support']
type Graded = Grade & { readonly label: Label }

/** Reads the standing grades of the question of a grade, and their result. Throws 404 for an unknown grade. */
export async function readPanel(grades: GradeStore, rubrics: Rubrics, id: string) {
  const grade = orNotFound(await grades.get(id), 'grade', id)
  const items = (await grades.listForQuestion(questionOf(grade))).map((standing) => standing.grade)
  return { items, result: panelResult(grade, items, rubrics) }
}

/**
 * Derives the result of a panel: the label of all judges of a question by the rubric of one grade, and its level. Where two different
 * models agree by quotes that overlap, `low` becomes `medium`. Every judge counts for the label; only models support each other.
 *
 * @param standing all standing grades of the question.
 */
export function panelResult({ receipt }: Grade, standing: readonly Grade[], rubrics: Rubrics): PanelResult {
  const { rubric, rubric_digest } = receipt
  const own = standing.filter((grade) => grade.receipt.rubric_digest === rubric_digest)
  const opinions = latestOpinions(
    own.map((grade) => ({ id: grade.id, judge: grade.receipt.judge, rubric, status: grade.status, grade })),
  ).map(({ grade }) => grade)
  const graded = opinions.filter((grade): grade is Graded => grade.label !== null)
  const [label, ...others] = new Set(graded.map((grade) => grade.label))
  if (label === undefined) return { rubric, label: null, level: null, support: none([], 'no judge gives a label') }
  if (others.length > 0) {
    const opposed = graded.map((grade) => `${nameOf(grade)} says ${grade.label}`)
    return { rubric, label: null, level: null, support: none(graded, `the judges disagree: ${listed(opposed)}`) }
  }
  const levels = graded.map(({ confidence }) => CONFIDENCE_LEVELS.indexOf(confidence.reported ?? 'low'))
  const level = CONFIDENCE_LEVELS[Math.max(...levels)] ?? 'low'
  const loaded = rubrics.get(rubric)
  const support = supportOf(opinions, graded, level, loaded?.digest === rubric_digest ? loaded : null)
  return { rubric, label, level: support.lifted ? 'medium' : level, support }
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
  const deciding = [...new Set([...rubric.outcome.claims, ...decisiveClaims(rubric)])]
  const claimsText = (grade: Grade) => JSON.stringify(deciding.map((id) => claimsOfGrade(grade)?.[id] ?? null))
  if (new Set(graded.map(claimsText)).size > 1)
    return none(graded, `${namesOf(graded)} give ${label} by different claims`)
  const cited = citedClaims(first, rubric, deciding)
  if (cited.size === 0) return none(graded, `${namesOf(models)} give ${label}, which rests on no quote`)
  const overlaps = findOverlaps(models, quotesByPlace(models, cited, rubric))
  const whole = overlaps.filter(({ claims }) => claims.size === cited.size)
  if (whole.length === 0) {
    const apart = [...cited].find((claim) => !overlaps.some(({ claims }) => claims.has(claim)))
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

/** Tells whether two grades are of different models. Editions of one model, and one model at two providers, are the same. */
const isOfTwo = ([one, other]: readonly [Grade, Grade]): boolean =>
  !modelNames(other).some((name) => modelNames(one).includes(name))

const modelNames = ({ receipt }: Grade): string[] =>
  [receipt.model_resolved, receipt.model_requested].flatMap((name) => (name === null ? [] : [plainModel(name)]))

/** The name of a model without its provider, date and edition: `us.anthropic.claude-x-20250514-v1:0`, `anthropic/claude-x:beta`. */
function plainModel(name: string): string {
  let plain = name.slice(0, LONGEST_MODEL).toLowerCase().split('/').at(-1)?.replace(VENDOR, '') ?? ''
  while (EDITION.test(plain)) plain = plain.replace(EDITION, '')
  return plain
}

const LONGEST_MODEL = 200
const VENDOR = /^(?:[a-z-]+\.)+/
const EDITION =
  /(?:[-@](?:20\d\d-?\d\d-?\d\d|\d\d-\d\d|\d\d-20\d\d|\d{3,4}|latest|preview)|:(?:latest|beta|free)|-v?\d+:\d+)$/

/** The claims of a grade with those of the entries of its lists. */
const flatOf = (grade: Grade, rubric: Rubric): ReturnType<typeof flatten> => {
  const values = claimsOfGrade(grade) ?? {}
  return flatten({ values, citations: grade.citations, notes: '', confidence: 'low', checked_form: true }, rubric)
}

/** The claims behind the label that quotes prove; a denial has none. */
function citedClaims(grade: Grade, rubric: Rubric, deciding: readonly string[]): ReadonlySet<string> {
  const flat = flatOf(grade, rubric)
  const cited = flat.rubric.claims.filter((rule) => {
    const proof = proofOf(rule, flat.claims.values[rule.id] ?? null)
    const decides = deciding.some((id) => rule.id === id || rule.id.startsWith(`${id}[`))
    return decides && proof !== null && proof.quote.length > 0
  })
  return new Set(cited.map(({ id }) => id))
}

interface Quote {
  readonly grade: Graded
  readonly claim: string
  readonly step: number
  readonly start: number
  readonly end: number
}

/** Finds overlapping quotes of different models for one claim in one part, with claims and steps by pair: one sort and one sweep a place. */
function findOverlaps(models: readonly Graded[], places: ReadonlyMap<string, Quote[]>) {
  const overlaps = pairsOf(models)
    .filter(isOfTwo)
    .map((pair) => ({ pair, claims: new Set<string>(), steps: new Set<number>() }))
  const byPair = new Map(overlaps.map((overlap) => [pairKey(overlap.pair), overlap]))
  for (const quotes of places.values()) {
    const ends = new Map<Graded, number>()
    for (const { grade, claim, step, start, end } of quotes.sort((a, b) => a.start - b.start)) {
      for (const [other, last] of ends) {
        const overlap = last > start ? byPair.get(pairKey([grade, other])) : undefined
        overlap?.claims.add(claim)
        overlap?.steps.add(step)
      }
      ends.set(grade, Math.max(end, ends.get(grade) ?? 0))
    }
  }
  return overlaps
}

const pairKey = ([one, other]: readonly [Grade, Grade]): string => [one.id, other.id].sort().join(' ')

/** Groups the verified quotes by claim, step and part. */
function quotesByPlace(models: readonly Graded[], cited: ReadonlySet<string>, rubric: Rubric): Map<string, Quote[]> {
  const places = new Map<string, Quote[]>()
  for (const grade of models) {
    const supported = flatOf(grade, rubric).claims.citations.map(({ supports }) => supports)
    for (const [index, { step_id: step, path, start, end, status }] of grade.citations.entries()) {
      const claim = supported[index] ?? ''
      if (!holds(status) || !cited.has(claim) || path === null || start === null || end === null) continue
      pushTo(places, JSON.stringify([claim, step, path]), { grade, claim, step, start, end })
    }
  }
  return places
}

/** Returns the reason why a grade forbids a lift of its panel; null without one. */
function obstacleOf(grade: Grade): string | null {
  const { status, confidence, contradictions, citations, votes, receipt } = grade
  const name = nameOf(grade)
  const contradiction = contradictions.find(({ supportable }) => supportable !== true)
  if (status === 'failed') return `${name} failed`
  if (status === 'unverified') return `the evidence of ${name} does not hold`
  if (confidence.limit === undefined) return `the grade of ${name} is of older rules of evidence`
  if (contradiction !== undefined) return `the grade of ${name} has a contradiction (${contradiction.code})`
  const unverified = citations.filter((citation) => !holds(citation.status)).length
  if (unverified > 0) return `${count(unverified, 'quote')} of ${name} ${unverified === 1 ? 'does' : 'do'} not hold`
  if (votes.some(({ label }) => label !== grade.label)) return `the samples of ${name} differ`
  const { coverage, unread } = receipt
  const isWholeRun =
    coverage.elided_chars === 0 &&
    coverage.steps_shown >= coverage.steps_total &&
    coverage.media_parts <= (coverage.media_shown ?? 0) &&
    (unread?.records ?? 0) === 0
  return isWholeRun ? null : `${name} did not read the whole run`
}
