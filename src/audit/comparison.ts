import { setImmediate as nextTurn } from 'node:timers/promises'
import { endedPages } from '../batches/follow.ts'
import type { ItemRecord } from '../db/batches.ts'
import type { GradeStore } from '../db/grades.ts'
import { type Rubrics, rubricOf } from '../domain/rubric/claims.ts'
import { count } from '../domain/words.ts'
import { ASPECTS, type Comparison, type Difference, type Flip } from '../schemas/agreement.ts'
import type { Grade, Receipt } from '../schemas/grade.ts'
import { faultAt, orNotFound, RequestError } from '../schemas/problem.ts'
import { type ComparisonQuery, decodeCursor, encodeCursor } from '../schemas/queries.ts'
import { type Label, rubricIdOf, TAB_BEHAVIOR } from '../schemas/vocabulary.ts'
import { tallyEvidence } from './clashes.ts'
import type { RepeatedPair } from './comparison-statistics.ts'
import { type AuditContext, requireNames } from './names.ts'
import { clustersOfRepeated, countEnds, countPairs } from './report/rows.ts'
import type { Compute } from './statistics-worker.ts'
import { evidenceOf, inTurns, nameIn, questionOfItem, subjectOf } from './trials.ts'

/** One side’s answer to a question, in the members that the counts need. */
type Answer = ReturnType<typeof answerOf>

/** The answers of a side by question; a repeated question has a number. */
type Answers = ReadonlyMap<string, Answer>
type Labelled = Answer & { readonly label: Label; readonly grade_id: string }
type Pair = readonly [base: Labelled, head: Labelled]

/** Bounds the labels of a matrix that stays readable. */
const MOST_LABELS = 100

/** Compares two batches, or a re-grade with its sources, over the same questions, with a page of the flips. Throws a RequestError. */
export async function compare(context: AuditContext, compute: Compute, query: ComparisonQuery): Promise<Comparison> {
  const { batches, grades } = context.stores
  const { limit = 50, statistics = true, across = false } = query
  await requireNames(context, { rubric: query.rubric })
  const after = Number(decodeCursor(query.cursor, /^\d{1,9}$/) ?? 0)
  const head = orNotFound(await batches.get(query.head), 'batch (head)', query.head)
  if (query.base !== undefined) orNotFound(await batches.get(query.base), 'batch (base)', query.base)
  else if (head.kind === 'grade')
    throw faultAt('/base', 'the head is no re-grade: name the base, too', 'invalid_request')
  const heads = await readAnswers(context, query, false)
  const bases = await readAnswers(context, query, true)
  const pairs = pairUp(bases, heads)
  const asked = [...new Set(pairs.map(([{ rubric }]) => rubricIdOf(rubric)))].sort()
  if (asked.length > 1) {
    const message = `is needed: both batches ask by ${asked.join(', ')}, which are never compared with each other`
    throw faultAt('/rubric', message, 'several_rubrics', 'say which rubric to compare by')
  }
  const compared = comparedLabels(context.rubrics, pairs, [...bases.values(), ...heads.values()])
  const { labels } = compared
  const tooMany = `the outcomes have ${labels.length} different values; ${MOST_LABELS} can be compared`
  if (labels.length > MOST_LABELS) throw new RequestError('too_many_labels', tooMany)
  const cells = pairs.map(([one, other]) => [one.label, other.label] as const)
  const both = [...heads.keys()].filter((question) => bases.has(question)).length
  const flips = pairs.filter(([one, other]) => one.label !== other.label)
  const shown = flips.slice(after, after + limit)
  const next = after + shown.length
  const alone = { base_only: bases.size - both, head_only: heads.size - both }
  const described = statistics ? await describePairs(context, pairs) : null
  const differs = described?.differences.list(alone)
  const isTested = across || differs?.every(({ blocks_tests }) => !blocks_tests)
  const computed = described && (await compute('comparisonStatistics', { ...compared, pairs: described.pairs }))
  const { tests, ...figures } = { ...computed }
  return {
    base: query.base ?? `sources of ${query.head}`,
    head: query.head,
    ...(differs && { differs }),
    pairs: pairs.length,
    same: pairs.length - flips.length,
    flipped: flips.length,
    unpaired: { ...alone, without_label: both - pairs.length, ...countAlone(bases, heads) },
    base_counts: { n: bases.size, ...countEnds(bases.values()) },
    head_counts: { n: heads.size, ...countEnds(heads.values()) },
    matrix: { labels, counts: countPairs(cells, labels) },
    ...figures,
    ...(tests && isTested && { tests }),
    ...(described && { evidence_agreement: described.evidence.list() }),
    flips: await Promise.all(shown.map(([one, other]) => describeFlip(grades, one, other))),
    next_cursor: next < flips.length ? encodeCursor(String(next)) : null,
  }
}

/** Orders the labels: those of the rubrics of the pairs, without pairs of all answers, then further occurring ones. Of sums: the occurring numbers. */
function comparedLabels(rubrics: Rubrics, pairs: readonly Pair[], all: readonly Answer[]) {
  const names = new Set((pairs.length > 0 ? pairs.flat() : all).map(({ rubric }) => rubric))
  const outcomes = [...names].flatMap((name) => rubricOf(rubrics, name)?.outcome ?? [])
  const further = [...new Set(pairs.flat().map(({ label }) => label))]
  const isSum = outcomes.some(({ kind }) => kind === 'sum')
  if (isSum && further.every((label) => Number.isFinite(Number(label))))
    return { labels: further.sort((a, b) => Number(a) - Number(b)), scale: 'interval' as const }
  const labels = [...new Set([...outcomes.flatMap(({ labels: own }) => own), ...further.sort()])]
  const isOrdinal = outcomes.length > 0 && outcomes.every(({ scale }) => scale === 'ordinal')
  return { labels, scale: isOrdinal ? ('ordinal' as const) : ('nominal' as const) }
}

/** Reads the answers of a side by question: those of its batch, or without a base those of the grades from which the re-grade started. */
async function readAnswers({ stores, rubrics }: AuditContext, query: ComparisonQuery, isBase: boolean) {
  const answers = new Map<string, Answer>()
  const asked = new Map<string, number>()
  const ofSources = isBase && query.base === undefined
  for await (const page of endedPages(stores.batches, (isBase && query.base) || query.head)) {
    for (const item of page) {
      const source = ofSources ? await load(stores.grades, item.base_grade ?? '') : null
      const answer = answerOf(item, source)
      if (query.rubric !== undefined && rubricIdOf(answer.rubric) !== rubricIdOf(query.rubric)) continue
      const subject = subjectOf(questionOfItem(item, rubrics), answer.rubric)
      const turn = asked.get(subject) ?? 0
      asked.set(subject, turn + 1)
      answers.set(`${subject}/${turn}`, answer)
    }
    await nextTurn()
  }
  return answers
}

/** Makes the answer of an item, or of the grade from which it started. */
function answerOf(item: ItemRecord, source: Grade | null) {
  const { status, failure, label } = source ?? item
  return {
    ...{ status, failure: failure?.code ?? null, label },
    rubric: source?.receipt.rubric ?? item.request.rubric ?? TAB_BEHAVIOR,
    grade_id: source === null ? item.grade_id : source.id,
    task: nameIn((source ?? item.request).metadata?.task),
    trajectory: source?.receipt.trajectory ?? item.trajectory,
  }
}

/** Pairs the answers with labels, in the order of the head. */
const pairUp = (bases: Answers, heads: Answers): Pair[] =>
  [...heads].flatMap(([question, head]): Pair[] => {
    const base = bases.get(question)
    return base !== undefined && isLabelled(base) && isLabelled(head) ? [[base, head]] : []
  })

const isLabelled = (answer: Answer): answer is Labelled => answer.label !== null && answer.grade_id !== null

/** Counts the runs that are unpaired on both sides because their ground truths or their rubrics differ. */
function countAlone(bases: Answers, heads: Answers): { other_truth: number; other_rubric: number } {
  const alone = [...bases].filter(([question]) => !heads.has(question)).map(([, answer]) => answer)
  const left = Map.groupBy(alone, ({ trajectory }) => trajectory)
  const met = { other_truth: 0, other_rubric: 0 }
  for (const [question, { trajectory, rubric }] of heads) {
    const waiting = left.get(trajectory) ?? []
    if (bases.has(question) || waiting.length === 0) continue
    const same = waiting.findIndex((one) => rubricIdOf(one.rubric) === rubricIdOf(rubric))
    waiting.splice(Math.max(0, same), 1)
    met[same === -1 ? 'other_rubric' : 'other_truth']++
  }
  return met
}

/** Describes the pairs with their grades' repeats, evidence and differences. Grades are read one at a time, and only their votes are kept. */
async function describePairs({ stores: { grades }, rubrics }: AuditContext, pairs: readonly Pair[]) {
  const described: RepeatedPair[] = []
  const [evidence, differences] = [tallyEvidence(), gatherDifferences()]
  const clusterOf = clustersOfRepeated(pairs.map(([, head]) => head))
  for await (const [base, head] of inTurns(pairs)) {
    const before = await load(grades, base.grade_id)
    const after = await load(grades, head.grade_id)
    const sides = Object.entries({ base: before, head: after })
    evidence.count(sides.map(([rater, one]) => ({ rater, ...evidenceOf(one, rubricOf(rubrics, one.receipt.rubric)) })))
    differences.add(before.receipt, after.receipt)
    described.push({
      ...{ base: base.label, head: head.label, cluster: clusterOf({ ...head, task: head.task ?? base.task }) },
      base_votes: before.votes.flatMap(({ label }) => label ?? []),
      head_votes: after.votes.flatMap(({ label }) => label ?? []),
      same_key: wasAskedAgain(before, after),
    })
  }
  return { pairs: described, evidence, differences }
}

/** Tells whether the judge was asked again: false for one stored grade in both batches, and for a recheck of stored replies. */
const wasAskedAgain = (before: Grade, after: Grade): boolean =>
  before.id !== after.id &&
  before.receipt.key === after.receipt.key &&
  [before, after].every(({ receipt }) => receipt.attempts.length === 0 || receipt.attempts.some((one) => !one.replayed))

async function describeFlip(grades: GradeStore, base: Labelled, head: Labelled): Promise<Flip> {
  const [before, after] = await Promise.all([load(grades, base.grade_id), load(grades, head.grade_id)])
  const { trajectory, ground_truth } = after.receipt
  const names = { task: head.task ?? base.task, trial: nameIn(after.metadata.trial) }
  return { trajectory, ground_truth, ...names, base: sideOf(before), head: sideOf(after) }
}

async function load(grades: GradeStore, id: string): Promise<Grade> {
  const grade = await grades.get(id)
  if (grade === null) throw new Error(`the grade ${id} is not stored`)
  return grade
}

function sideOf({ id: grade_id, status, label, claimed_label, receipt }: Grade): Flip['base'] {
  return { grade_id, status, label, claimed_label, receipt }
}

/** The value of each aspect of a grade; null: not known. */
const VALUES: Readonly<Record<Exclude<Difference['what'], 'cases'>, (receipt: Receipt) => string | null>> = {
  rubric: ({ rubric, rubric_digest }) => `${rubric} ${rubric_digest.slice(0, 19)}`,
  prompt: ({ versions }) => String(versions.prompt),
  reader: ({ versions }) => String(versions.reader),
  rendering: ({ versions }) => String(versions.rendering),
  evidence: (one) => `${one.versions.evidence}${one.denied_acts === 'refuse' ? ', denied acts refused' : ''}`,
  judge: (receipt) => `${receipt.judge} (${receipt.model_resolved ?? receipt.model_requested ?? 'no model'})`,
  settings: ({ settings = null, samples = null }) =>
    settings && JSON.stringify({ samples, ...settings }, (_, value: unknown) => value ?? undefined),
}

/** Differences that allow paired tests; across another question, text or check, a moved label says nothing of the judge. */
const COMPARED: readonly Difference['what'][] = ['cases', 'judge', 'settings']
const MOST_VALUES = 10

/** Gathers the differences of the sides of a comparison, pair by pair. */
function gatherDifferences() {
  const found = new Map<string, { n: number; base: Set<string>; head: Set<string> }>()
  return {
    add(base: Receipt, head: Receipt) {
      for (const [what, tell] of Object.entries(VALUES)) {
        const [one, other] = [tell(base), tell(head)]
        if (one === null || other === null || one === other) continue
        const all = found.get(what) ?? { n: 0, base: new Set(), head: new Set() }
        found.set(what, { n: all.n + 1, base: all.base.add(one), head: all.head.add(other) })
      }
    },
    /** Lists the differences; `alone`: the questions that one side alone asks. */
    list({ base_only, head_only }: Readonly<Record<'base_only' | 'head_only', number>>): Difference[] {
      const ofSide = (n: number) => new Set([`${count(n, 'question')} of this side alone`])
      const n = base_only + head_only
      if (n > 0) found.set('cases', { n, base: ofSide(base_only), head: ofSide(head_only) })
      return ASPECTS.flatMap((what) => {
        const { n = 0, base = [], head = [] } = found.get(what) ?? {}
        const values = { base: [...base].slice(0, MOST_VALUES), head: [...head].slice(0, MOST_VALUES) }
        return n === 0 ? [] : [{ what, n, ...values, blocks_tests: !COMPARED.includes(what) }]
      })
    },
  }
}
