import type Database from 'better-sqlite3'
import type { GradeQuery, GradeRecord, GradeStore } from '../grading/ports.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { Unit } from './sqlite.ts'

const FILTERS = ['label', 'status', 'judge', 'rubric', 'agent', 'model', 'task', 'batch'] as const

const INSERT = `
  INSERT INTO grades (id, key, status, label, claimed_label, judge, rubric, trajectory, agent, model, task, batch, ground_truth, body, created_at)
  VALUES (@id, @key, @status, @label, @claimed_label, @judge, @rubric, @trajectory, @agent, @model, @task, @batch, @ground_truth, @body, @created_at)`

export function createGradeStore(db: Database.Database, unit: Unit): GradeStore {
  const insert = db.prepare(INSERT)
  const answer = db.prepare(
    'INSERT INTO current_grades VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET grade_id = excluded.grade_id',
  )
  const byId = db.prepare('SELECT body FROM grades WHERE id = ?').pluck()
  const truthById = db.prepare('SELECT ground_truth FROM grades WHERE id = ?').pluck()
  const byKey = db
    .prepare('SELECT body FROM current_grades JOIN grades ON grades.id = grade_id WHERE current_grades.key = ?')
    .pluck()
  const parse = <T>(text: unknown): T | null => (typeof text === 'string' ? (JSON.parse(text) as T) : null)
  return {
    put: (record) =>
      unit.write(() => {
        insert.run(toRow(record))
        if (record.grade.status !== 'failed') answer.run(record.grade.receipt.key, record.grade.id)
      }),
    get: (id) => unit.read(() => parse<Grade>(byId.get(id))),
    getGroundTruth: (id) => unit.read(() => parse<GroundTruth>(truthById.get(id))),
    findByKey: (key) => unit.read(() => parse<Grade>(byKey.get(key))),
    list: (query) => unit.read(() => listGrades(db, query)),
  }
}

function toRow({ grade, ground_truth }: GradeRecord) {
  const { receipt, metadata } = grade
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
    agent: text(metadata.agent),
    model: text(metadata.model),
    task: text(metadata.task),
    batch: null,
    ground_truth: JSON.stringify(ground_truth),
    body: JSON.stringify(grade),
    created_at: grade.created_at,
  }
}

/** Newest first: ids sort by age. The column names come from a closed list, the values are bound. */
function listGrades(db: Database.Database, query: GradeQuery): Grade[] {
  const given = FILTERS.filter((name) => query[name] !== undefined)
  const where = [...given.map((name) => `${name} = @${name}`), ...(query.before === undefined ? [] : ['id < @before'])]
  const sql = `SELECT body FROM grades ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY id DESC LIMIT @limit`
  const rows = db
    .prepare(sql)
    .pluck()
    .all({ ...query }) as string[]
  return rows.map((row) => JSON.parse(row) as Grade)
}
