import { afterAll, describe, expect, test } from 'vitest'
import type { GradeQuery } from '../../src/ports/grade-ports.ts'
import { NAMED_BY } from '../../src/schemas/audit/grade-overview.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { spellForSqlite } from '../../src/storage/sqlite/spelling.ts'
import { FIND_KEY } from '../../src/storage/stores/access.ts'
import { FIND_ORPHAN, LIST_FOR_GRADE, LIST_REPLIES, LOST } from '../../src/storage/stores/attempts.ts'
import { FILTERS, OF_QUESTION, renderList } from '../../src/storage/stores/grade-query.ts'
import { renderNamesSql } from '../../src/storage/stores/overview.ts'

const db = openDatabase(':memory:')
afterAll(() => void db.close())

/** What SQLite says it will do. Placeholders are left unbound: the plan does not depend on values. */
const planOf = (sql: string): string[] =>
  (
    db.prepare(`EXPLAIN QUERY PLAN ${spellForSqlite(sql).text.replaceAll('?', 'NULL')}`).all() as { detail: string }[]
  ).map((row) => row.detail)

const renderListSql = (query: GradeQuery): string => renderList(false, query, 'grades.body')[0]

describe('lists of grades walk one index, in its order', () => {
  test.each(FILTERS)('by %s', (name) => {
    const filter = { [name]: 'x@1', limit: 50 }
    expect(planOf(renderListSql(filter))).toEqual([`SEARCH grades USING INDEX grades_by_${name} (${name}=?)`])
    expect(planOf(renderListSql({ ...filter, before: 'grd_x' }))).toEqual([
      `SEARCH grades USING INDEX grades_by_${name} (${name}=? AND id<?)`,
    ])
  })

  test('by a rubric without its version', () => {
    const plan = 'SEARCH grades USING INDEX grades_by_rubric_id'
    expect(planOf(renderListSql({ rubric: 'x', limit: 50 }))).toEqual([`${plan} (<expr>=?)`])
    expect(planOf(renderListSql({ rubric: 'x', judge: 'j', limit: 50, before: 'grd_x' }))).toEqual([
      `${plan} (<expr>=? AND id<?)`,
    ])
  })

  const PAIRS = FILTERS.flatMap((first, index) => FILTERS.slice(index + 1).map((second) => [first, second] as const))
  test.each(PAIRS)('by %s rather than by %s', (first, second) => {
    expect(planOf(renderListSql({ [second]: 'x@1', [first]: 'x@1', limit: 50, before: 'grd_x' }))).toEqual([
      `SEARCH grades USING INDEX grades_by_${first} (${first}=? AND id<?)`,
    ])
  })

  test('by all of them: one index', () => {
    const all = Object.fromEntries(FILTERS.map((name) => [name, 'x']))
    expect(planOf(renderListSql({ ...all, limit: 50 }))).toEqual([
      'SEARCH grades USING INDEX grades_by_batch (batch=?)',
    ])
  })

  test('by nothing: the ids themselves', () => {
    expect(planOf(renderListSql({ limit: 50 }))).toEqual(['SCAN grades USING INDEX sqlite_autoindex_grades_1'])
    expect(planOf(renderListSql({ limit: 50, before: 'grd_x' }))).toEqual([
      'SEARCH grades USING INDEX sqlite_autoindex_grades_1 (id<?)',
    ])
  })
})

test('a key is found in one step of an index', () => {
  expect(planOf(FIND_KEY)).toEqual([expect.stringMatching(/api_keys USING INDEX \w+ \(id=\?\)/)])
})

test('the grades of a question, and what came after a failure, are found by their indexes', () => {
  expect(planOf(OF_QUESTION).filter((step) => /grades_by|SCAN/.test(step))).toEqual([
    'SEARCH grades USING INDEX grades_by_question (<expr>=?)',
    'SEARCH later USING INDEX grades_by_key (key=? AND id>?)',
  ])
})

test.each(NAMED_BY)('the names of grades by %s are found by steps in its index', (name) => {
  const plan = planOf(renderNamesSql(name)).filter((step) => /\bgrades\b/.test(step))
  expect(plan).toHaveLength(2)
  for (const step of plan) expect(step).toMatch(/^SEARCH grades USING COVERING INDEX grades_by_\w+( \(\w+>\?\))?$/)
})

test('the ledger finds calls in flight by an index and sorts nothing', () => {
  const plan = planOf(LOST)
  expect(plan[0]).toMatch(/attempts_in_flight/)
  expect(plan.join('\n')).not.toMatch(/SCAN (?!json_each)|TEMP B-TREE/)
})

test('the ledger finds an orphan by what it asked; only calls that asked the same are sorted', () => {
  const plan = planOf(FIND_ORPHAN)
  expect(plan[0]).toBe('SEARCH attempts USING INDEX attempts_by_request (<expr>=?)')
  expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([])
})

test('the calls of a grade are found by it and by their ids; only they are sorted', () => {
  const plan = planOf(LIST_FOR_GRADE)
  const indexes = plan.filter((step) => step.startsWith('SEARCH attempts'))
  expect(indexes).toEqual([
    expect.stringMatching(/attempts_by_grade \(grade_id=\?\)/),
    expect.stringMatching(/ \(id=\?\)/),
  ])
  expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([expect.stringMatching(/^SCAN json_each VIRTUAL/)])
})

test('the replies of a grade are found by their ids; only they are sorted', () => {
  const plan = planOf(LIST_REPLIES)
  expect(plan[0]).toMatch(/^SEARCH attempts USING INDEX \w+ \(id=\?\)$/)
  expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([expect.stringMatching(/^SCAN json_each VIRTUAL/)])
  expect(plan.at(-1)).toBe('USE TEMP B-TREE FOR ORDER BY')
})

const LOOKUPS: readonly string[] = [
  'SELECT 1 FROM trajectories WHERE id = ?',
  'SELECT 1 FROM grades WHERE id = ?',
  'SELECT body FROM current_grades JOIN grades ON grades.id = current_grades.grade_id WHERE current_grades.key = ?',
  'SELECT 1 FROM attempts WHERE id = ?',
  'SELECT 1 FROM idempotency_keys WHERE key = ?',
  'SELECT 1 FROM rubrics WHERE name = ?',
  'SELECT 1 FROM settings WHERE name = ?',
  'SELECT 1 FROM processes WHERE id = ?',
]
test.each(LOOKUPS)('%s', (sql) => {
  for (const step of planOf(sql)) expect(step).toMatch(/^SEARCH .* INDEX/)
})
