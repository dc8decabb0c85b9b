import { endedPages } from '../../batches/ended-items.ts'
import type { BatchStore, ItemRecord } from '../../ports/batch-ports.ts'
import type { GradeStore } from '../../ports/grade-ports.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Comparison, Flip } from '../../schemas/regrade.ts'
import { LABELS, type Label } from '../../schemas/vocabulary.ts'
import { nextTurn } from '../disagreements/next-turn.ts'
import { countEnds, type Ended } from '../report/count-ends.ts'
import { clusterOfTask } from '../report/report-rows.ts'
import { questionOfItem } from './batch-trials.ts'
import type { ComparedPair, ComparisonStatistics } from './comparison-statistics.ts'

interface ComparisonQuery {
  /** A batch; null: what the head’s re-grade started from. */
  readonly base: string | null
  readonly head: string
  readonly limit: number
  /** Flips after this many. */
  readonly after: number
  /** Null: without statistics, as for a later page of the flips. */
  readonly statistics: ((pairs: readonly ComparedPair[]) => Promise<ComparisonStatistics>) | null
}

type Compared =
  | { readonly ok: true; readonly comparison: Omit<Comparison, 'next_cursor'>; readonly next: number | null }
  | { readonly ok: false; readonly reason: 'no_base' | 'no_head' | 'no_regrade' }

/** One side’s answer to a question, as much as the counts need. */
interface Answer extends Ended {
  readonly index: number
  readonly label: Label | null
  readonly grade_id: string | null
  readonly task: string | null
  readonly trajectory: string
}

const TURN = 500

/**
 * Two batches over the same questions, label against label. A question is a trajectory with its ground truth; where a batch asks it
 * more than once, the first is paired with the first, the second with the second.
 */
export async function compareBatches(
  stores: { readonly batches: BatchStore; readonly grades: GradeStore },
  query: ComparisonQuery,
): Promise<Compared> {
  const { batches, grades } = stores
  const head = await batches.get(query.head)
  if (head === null) return { ok: false, reason: 'no_head' }
  if (query.base !== null && (await batches.get(query.base)) === null) return { ok: false, reason: 'no_base' }
  if (query.base === null && head.kind === 'grade') return { ok: false, reason: 'no_regrade' }
  const heads = await readAnswers(batches, query.head, answerOf)
  const base = query.base ?? query.head
  const bases =
    query.base === null
      ? await readAnswers(batches, query.head, (item) => sourceOf(grades, item))
      : await readAnswers(batches, query.base, answerOf)
  const pairs = pairUp(bases, heads)
  const flips = pairs.filter(([one, other]) => one.label !== other.label)
  const shown = flips.slice(query.after, query.after + query.limit)
  const next = query.after + shown.length
  const statistics = query.statistics === null ? {} : await query.statistics(await describePairs(grades, pairs))
  return {
    ok: true,
    comparison: {
      base: query.base === null ? `sources of ${base}` : base,
      head: query.head,
      ...count(bases, heads, pairs, flips.length),
      ...statistics,
      flips: await Promise.all(shown.map(([one, other]) => describeFlip(grades, one, other))),
    },
    next: next < flips.length ? next : null,
  }
}

type Answers = ReadonlyMap<string, Answer>
type Labelled = Answer & { readonly label: Label; readonly grade_id: string }
type Pair = readonly [base: Labelled, head: Labelled]

async function readAnswers(
  batches: BatchStore,
  id: string,
  read: (item: ItemRecord) => Answer | Promise<Answer>,
): Promise<Answers> {
  const answers = new Map<string, Answer>()
  const asked = new Map<string, number>()
  for await (const page of endedPages(batches, id)) {
    for (const item of page) {
      const question = questionOfItem(item)
      const turn = asked.get(question) ?? 0
      asked.set(question, turn + 1)
      answers.set(`${question}/${turn}`, await read(item))
    }
    await nextTurn()
  }
  return answers
}

const answerOf = ({ index, status, failure, label, grade_id, request, trajectory }: ItemRecord): Answer => ({
  index,
  status,
  failure: failure?.code ?? null,
  label,
  grade_id,
  task: taskOf(request.metadata ?? {}),
  trajectory,
})

const taskOf = ({ task }: { readonly task?: unknown }): string | null =>
  typeof task === 'string' && task !== '' ? task : null

/** The grade that a re-grade started from. */
async function sourceOf(grades: GradeStore, item: ItemRecord): Promise<Answer> {
  const grade = item.base_grade === null ? null : await grades.get(item.base_grade)
  if (grade === null) throw new Error(`the source of item ${item.index} is not stored`)
  return {
    index: item.index,
    status: grade.status,
    failure: grade.failure?.code ?? null,
    label: grade.label,
    grade_id: grade.id,
    task: taskOf(grade.metadata),
    trajectory: grade.receipt.trajectory,
  }
}

function pairUp(bases: Answers, heads: Answers): Pair[] {
  const pairs: Pair[] = []
  for (const [question, head] of heads) {
    const base = bases.get(question)
    if (base !== undefined && isLabelled(base) && isLabelled(head)) pairs.push([base, head])
  }
  return pairs.sort((a, b) => a[1].index - b[1].index)
}

const isLabelled = (answer: Answer): answer is Labelled => answer.label !== null && answer.grade_id !== null

/** The place of a behaviour in the matrix; -1: a label of another rubric. */
const indexOf = (label: Label): number => (LABELS as readonly string[]).indexOf(label)

function count(bases: Answers, heads: Answers, pairs: readonly Pair[], flipped: number) {
  const matrix = LABELS.map(() => LABELS.map(() => 0))
  for (const [base, head] of pairs) {
    const row = matrix[indexOf(base.label)]
    const column = indexOf(head.label)
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1
  }
  const both = [...heads.keys()].filter((question) => bases.has(question)).length
  return {
    pairs: pairs.length,
    same: pairs.length - flipped,
    flipped,
    unpaired: {
      base_only: bases.size - both,
      head_only: heads.size - both,
      without_label: both - pairs.length,
      other_truth: countOtherTruths(bases, heads),
    },
    base_counts: countSide(bases),
    head_counts: countSide(heads),
    matrix: { labels: [...LABELS], counts: matrix },
  }
}

/** How many runs stand alone on both sides, since what they were graded against is not the same. */
function countOtherTruths(bases: Answers, heads: Answers): number {
  const alone = [...bases].flatMap(([question, { trajectory }]) => (heads.has(question) ? [] : [trajectory]))
  const left = new Map<string, number>()
  for (const trajectory of alone) left.set(trajectory, (left.get(trajectory) ?? 0) + 1)
  let met = 0
  for (const [question, { trajectory }] of heads) {
    const waiting = left.get(trajectory) ?? 0
    if (bases.has(question) || waiting === 0) continue
    left.set(trajectory, waiting - 1)
    met++
  }
  return met
}

const countSide = (answers: Answers) => ({ n: answers.size, ...countEnds(answers.values()) })

/** With what their grades say of repeats. Grades are read one at a time, and only their votes are kept. */
async function describePairs(grades: GradeStore, pairs: readonly Pair[]): Promise<ComparedPair[]> {
  const described: ComparedPair[] = []
  const clusterOf = clustersOf(pairs)
  for (const [index, [base, head]] of pairs.entries()) {
    if (index % TURN === TURN - 1) await nextTurn()
    const before = await load(grades, base.grade_id)
    const after = await load(grades, head.grade_id)
    described.push({
      base: base.label,
      head: head.label,
      cluster: clusterOf(base, head),
      base_votes: votesOf(before),
      head_votes: votesOf(after),
      same_key: wasAskedAgain(before, after),
    })
  }
  return described
}

/** Of a run that is asked about once nothing needs to be said: it is independent of all others as it is. */
function clustersOf(pairs: readonly Pair[]): (...pair: Pair) => string | null {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const [, { trajectory }] of pairs) (once.has(trajectory) ? again : once).add(trajectory)
  return (base, head) => {
    const run = again.has(head.trajectory) ? head.trajectory : null
    return clusterOfTask({ task: head.task ?? base.task, run })
  }
}

const votesOf = ({ votes }: Grade): Label[] => votes.flatMap(({ label }) => label ?? [])

/** Not where both batches have one stored grade, nor where stored replies were only checked again. */
const wasAskedAgain = (before: Grade, after: Grade): boolean =>
  before.id !== after.id &&
  before.receipt.key === after.receipt.key &&
  [before, after].every(
    ({ receipt }) => !(receipt.attempts.length > 0 && receipt.attempts.every((one) => one.replayed)),
  )

async function describeFlip(grades: GradeStore, base: Labelled, head: Labelled): Promise<Flip> {
  const [before, after] = await Promise.all([load(grades, base.grade_id), load(grades, head.grade_id)])
  const { task } = after.metadata
  return {
    trajectory: after.receipt.trajectory,
    ground_truth: after.receipt.ground_truth,
    task: typeof task === 'string' ? task : null,
    base: sideOf(before),
    head: sideOf(after),
  }
}

async function load(grades: GradeStore, id: string): Promise<Grade> {
  const grade = await grades.get(id)
  if (grade === null) throw new Error(`the grade ${id} is not stored`)
  return grade
}

const sideOf = ({ id, status, label, claimed_label, receipt }: Grade): Flip['base'] => ({
  grade_id: id,
  status,
  label,
  claimed_label,
  receipt,
})
