import type { ItemEnd } from '../../ports/batch-ports.ts'
import {
  type EvidenceCount,
  type GradeRecord,
  type GradeStore,
  questionOf,
  type StandingGrade,
} from '../../ports/grade-ports.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { GroundTruth, Signals } from '../../schemas/ground-truth.ts'
import type { Db } from '../db.ts'
import { refusal } from '../storage-error.ts'
import { parseStored } from '../stored-text.ts'
import { leasesOf, settleItem } from './batch-items.ts'
import { OF_QUESTION, renderList, STANDING_COLUMNS, STANDS } from './grade-query.ts'

const ANSWER = `
  INSERT INTO current_grades (key, grade_id) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET grade_id = excluded.grade_id`

const BY_ID = 'SELECT body FROM grades WHERE id = $1'

const BY_KEY = `
  SELECT body FROM current_grades JOIN grades ON grades.id = current_grades.grade_id
  WHERE current_grades.key = $1`

const EVIDENCE = `
  SELECT judge, rubric, kind, status, CAST(sum(n) AS BIGINT) AS n FROM evidence_tallies
  GROUP BY judge, rubric, kind, status ORDER BY judge, rubric, kind, status`

interface BodyRow {
  readonly body: string
}

interface StandingRow extends BodyRow {
  readonly signals: string | null
}

export function createGradeStore(db: Db): GradeStore {
  const textOf = async (text: string, value: string): Promise<string | null> =>
    (await db.rows<BodyRow>(text, [value]))[0]?.body ?? null
  const one = async <T>(text: string, value: string): Promise<T | null> => {
    const found = await textOf(text, value)
    return found === null ? null : parseStored<T>(found)
  }
  const many = async (text: string, values: readonly unknown[]): Promise<Grade[]> =>
    (await db.rows<BodyRow>(text, values)).map(({ body }) => parseStored<Grade>(body))
  return {
    put: (record) =>
      db.write(function* (sql) {
        const { grade, item, silent = false, leases = [] } = record
        yield* sql.insert('grades', renderGrade(record, db.isShared), [...leases, ...leasesOf(item)])
        if (!silent) yield* sql.addEvidence(countEvidence(grade))
        if (grade.status !== 'failed' && !silent) yield* sql.run(ANSWER, [grade.receipt.key, grade.id])
        if (item !== undefined) yield* settleItem(sql, item, toItemEnd(grade))
      }),
    get: (id) => one<Grade>(BY_ID, id),
    getText: (id) => textOf(BY_ID, id),
    getMany: (ids) => many('SELECT body FROM grades WHERE id = ANY($1)', [ids]),
    getGroundTruth: (id) => one<GroundTruth>('SELECT ground_truth AS body FROM grades WHERE id = $1', id),
    findByKey: (key) => one<Grade>(BY_KEY, key),
    findTextByKey: (key) => textOf(BY_KEY, key),
    list: (query) => many(...renderList(db.isShared, query, 'grades.body')),
    listStanding: async (query) =>
      (await db.rows<StandingRow>(...renderList(db.isShared, query, STANDING_COLUMNS, STANDS))).map(toStanding),
    listForQuestion: async (question) => (await db.rows<StandingRow>(OF_QUESTION, [question])).map(toStanding),
    countEvidence: () => db.rows<EvidenceCount>(EVIDENCE),
  }
}

const toStanding = ({ body, signals }: StandingRow): StandingGrade => ({
  grade: parseStored<Grade>(body),
  signals: signals === null ? {} : parseStored<Signals>(signals),
})

/** What a grade counts for in `evidence_tallies`. */
export const countEvidence = ({ receipt: { judge, rubric }, status, citations }: Grade): EvidenceCount[] => [
  { judge, rubric, kind: 'grade', status, n: 1 },
  ...citations.map((citation): EvidenceCount => ({ judge, rubric, kind: 'citation', status: citation.status, n: 1 })),
]

/** How an item ends by a grade that was made for it. Throws for a grade that breaks the closed sets. */
function toItemEnd({ id, status, label, failure }: Grade): ItemEnd {
  if (status === 'unverified') return { status, grade_id: id, cached: false }
  if (status === 'failed' && failure !== null) return { status, failure, grade_id: id }
  if (status === 'graded' && label !== null) return { status, label, grade_id: id, cached: false }
  throw refusal(`the grade ${id} is ${status} without its label or its failure`)
}

/** A grade as its row; `hasSignals`: with what the harness measured in a column of its own. */
export function renderGrade({ grade, ground_truth, silent = false }: GradeRecord, hasSignals: boolean) {
  const { receipt } = grade
  const metadata: Readonly<Record<string, unknown>> = grade.metadata
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const row = {
    id: grade.id,
    key: receipt.key,
    status: grade.status,
    label: grade.label,
    claimed_label: grade.claimed_label,
    judge: receipt.judge,
    rubric: receipt.rubric,
    trajectory: receipt.trajectory,
    agent: text(metadata['agent']),
    model: text(metadata['model']),
    task: text(metadata['task']),
    batch: text(metadata['batch']),
    ground_truth: JSON.stringify(ground_truth),
    body: JSON.stringify(grade),
    created_at: grade.created_at,
    silent: silent ? 1 : 0,
    question: questionOf(grade),
  }
  const { signals } = ground_truth
  return hasSignals ? { ...row, signals: signals === undefined ? null : JSON.stringify(signals) } : row
}
