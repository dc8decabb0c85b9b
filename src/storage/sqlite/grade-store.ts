import type Database from 'better-sqlite3'
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
import {
  QUESTION_SQL,
  questionsOf,
  renderEvidenceSql,
  renderListSql,
  renderStandingSql,
  TRAJECTORY_SQL,
} from '../grade-query.ts'
import { StorageError } from '../storage-error.ts'
import { parseStored } from '../stored-text.ts'
import type { SettleItem } from './batch-items.ts'
import type { Unit } from './unit.ts'

const INSERT = `
  INSERT INTO grades (
    id, key, status, label, claimed_label, judge, rubric, trajectory, agent, model, task, batch, ground_truth, body,
    created_at, silent, question
  ) VALUES (
    @id, @key, @status, @label, @claimed_label, @judge, @rubric, @trajectory, @agent, @model, @task, @batch,
    @ground_truth, @body, @created_at, @silent, @question
  )`

const ANSWER = `
  INSERT INTO current_grades (key, grade_id) VALUES (?, ?)
  ON CONFLICT (key) DO UPDATE SET grade_id = excluded.grade_id`

const BY_KEY = `
  SELECT body FROM current_grades JOIN grades ON grades.id = current_grades.grade_id
  WHERE current_grades.key = ?`

export function createGradeStore(db: Database.Database, unit: Unit, settle: SettleItem): GradeStore {
  const insert = db.prepare(INSERT)
  const answer = db.prepare(ANSWER)
  const byId = db.prepare('SELECT body FROM grades WHERE id = ?').pluck()
  const truthById = db.prepare('SELECT ground_truth FROM grades WHERE id = ?').pluck()
  const byKey = db.prepare(BY_KEY).pluck()
  const ofQuestion = db.prepare(QUESTION_SQL)
  const ofTrajectory = db.prepare(TRAJECTORY_SQL).pluck()
  const evidence = db.prepare(renderEvidenceSql('SUM(n)'))
  const prepareList = rememberStatements((sql) => db.prepare(sql).pluck())
  const prepareStanding = rememberStatements((sql) => db.prepare(sql))
  return {
    put: (record) =>
      unit.write(() => {
        insert.run(renderGrade(record))
        const { grade, item, silent = false } = record
        if (grade.status !== 'failed' && !silent) answer.run(grade.receipt.key, grade.id)
        if (item !== undefined) settle(item, toItemEnd(grade))
      }),
    get: (id) => unit.read(() => parseBody<Grade>(byId.get(id))),
    getText: (id) => unit.read(() => textOf(byId.get(id))),
    getMany: (ids) => unit.read(() => ids.flatMap((id) => parseBody<Grade>(byId.get(id)) ?? [])),
    getGroundTruth: (id) => unit.read(() => parseBody<GroundTruth>(truthById.get(id))),
    findByKey: (key) => unit.read(() => parseBody<Grade>(byKey.get(key))),
    list: (query) =>
      unit.read(() => {
        const bodies = prepareList(renderListSql(query)).all({ ...query }) as string[]
        return bodies.map((body) => parseStored<Grade>(body))
      }),
    listStanding: (query) =>
      unit.read(() => (prepareStanding(renderStandingSql(query)).all({ ...query }) as StandingRow[]).map(toStanding)),
    listForQuestion: (question) => unit.read(() => (ofQuestion.all(question) as StandingRow[]).map(toStanding)),
    listForTrajectory: (trajectory, limit) =>
      unit.read(() =>
        (ofTrajectory.all(...questionsOf(trajectory), limit) as string[]).map((body) => parseStored<Grade>(body)),
      ),
    countEvidence: () => unit.read(() => evidence.all() as EvidenceCount[]),
  }
}

export interface StandingRow {
  readonly body: string
  readonly signals: string | null
}

export const toStanding = ({ body, signals }: StandingRow): StandingGrade => ({
  grade: parseStored<Grade>(body),
  signals: signals === null ? {} : parseStored<Signals>(signals),
})

/** Queries have few forms: each is prepared once. */
function rememberStatements(prepare: (sql: string) => Database.Statement): (sql: string) => Database.Statement {
  const known = new Map<string, Database.Statement>()
  return (sql) => {
    const statement = known.get(sql) ?? prepare(sql)
    known.set(sql, statement)
    return statement
  }
}

const textOf = (stored: unknown): string | null => (typeof stored === 'string' ? stored : null)

export const parseBody = <T>(text: unknown): T | null => (typeof text === 'string' ? parseStored<T>(text) : null)

/** How an item ends by a grade that was made for it. Throws for a grade that breaks the closed sets. */
export function toItemEnd({ id, status, label, failure }: Grade): ItemEnd {
  if (status === 'unverified') return { status, grade_id: id, cached: false }
  if (status === 'failed' && failure !== null) return { status, failure, grade_id: id }
  if (status === 'graded' && label !== null) return { status, label, grade_id: id, cached: false }
  throw new StorageError('storage_error', `the grade ${id} is ${status} without its label or its failure`)
}

/** A grade as its row. */
export function renderGrade({ grade, ground_truth, silent = false }: GradeRecord) {
  const { receipt } = grade
  const metadata: Readonly<Record<string, unknown>> = grade.metadata
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return {
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
}
