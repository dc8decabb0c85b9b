import { afterAll, describe, expect, test } from 'vitest'
import type { GradeQuery } from '../../src/db/grades.ts'
import { NAMED_BY } from '../../src/schemas/audit/grade-overview.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { spellForSqlite } from '../../src/storage/sqlite/spelling.ts'
import { FIND_KEY } from '../../src/storage/stores/access.ts'
import { FIND_ORPHAN, LIST_FOR_GRADE, LIST_REPLIES, LOST } from '../../src/storage/stores/attempts.ts'
import { PENDING, RESULTS, SETTLE, SIBLINGS, TAKEN_NAMES } from '../../src/storage/stores/batch-items.ts'
import { FINISH, renderBatches, TO_RUN } from '../../src/storage/stores/batches.ts'
import { FILTERS, OF_QUESTION, renderList } from '../../src/storage/stores/grade-query.ts'
import { renderNamesSql } from '../../src/storage/stores/overview.ts'
import { IS_OPEN, WAIT, WAKE, WAKE_ALL } from '../../src/storage/stores/provider-items.ts'
import { ANSWERS_OF, OPEN_SUBMISSIONS, QUEUED_JUDGES } from '../../src/storage/stores/provider-queue.ts'
import { FIND_SENT, LINES, QUEUED, SEND } from '../../src/storage/stores/provider-submissions.ts'

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

const STATEMENTS: readonly [string, string, string][] = [
  [
    'a taken name',
    TAKEN_NAMES,
    'batch_items USING COVERING INDEX sqlite_autoindex_batch_items_2 (batch=? AND item_id=?)',
  ],
  ['a page of pending items', PENDING, 'batch_items USING INDEX batch_items_pending (batch=? AND idx>?)'],
  ['siblings', SIBLINGS, 'batch_items USING INDEX batch_items_by_trajectory (batch=? AND trajectory=?)'],
  ['a page of results', RESULTS, 'batch_items USING INDEX batch_items_ended (batch=? AND idx>?)'],
  ['the item to settle', SETTLE, 'batch_items USING INDEX sqlite_autoindex_batch_items_1 (batch=? AND idx=?)'],
  ['whether all has ended', FINISH, 'batches USING INDEX sqlite_autoindex_batches_1 (id=?)'],
  ['an open item', IS_OPEN, 'batch_items USING INDEX sqlite_autoindex_batch_items_1 (batch=? AND idx=?)'],
  ['the item that waits', WAIT, 'batch_items USING INDEX sqlite_autoindex_batch_items_1 (batch=? AND idx=?)'],
  ['the item that goes on', WAKE, 'batch_items USING INDEX sqlite_autoindex_batch_items_1 (batch=? AND idx=?)'],
  [
    'the answer to a question',
    ANSWERS_OF,
    'request USING INDEX provider_requests_by_question (batch=? AND key=? AND sample=? AND round=? AND request_digest=?)',
  ],
  ['open submissions', OPEN_SUBMISSIONS, 'provider_batches USING INDEX provider_batches_open (batch=?)'],
  ['what is queued', QUEUED, 'provider_requests USING INDEX provider_requests_queued (batch=? AND judge=?)'],
  ['what to send', SEND, 'provider_requests USING INTEGER PRIMARY KEY (rowid=?)'],
  [
    'the lines of a submission',
    LINES,
    'provider_requests USING INDEX provider_requests_by_provider_batch (provider_batch=? AND status=?)',
  ],
]
test.each(STATEMENTS)('%s: one index, nothing sorted', (_name, sql, step) => {
  const plan = planOf(sql)
  expect(plan[0]).toBe(`SEARCH ${step}`)
  expect(plan.join('\n')).not.toMatch(/SCAN (?!json_each)|TEMP B-TREE/)
})

test('sent requests are found by their ids; only they are sorted', () => {
  const plan = planOf(FIND_SENT)
  expect(plan[0]).toBe('SEARCH provider_requests USING INDEX sqlite_autoindex_provider_requests_1 (id=?)')
  expect(plan.join('\n')).not.toMatch(/SCAN (?!json_each)/)
})

test('judges with queued questions are found by steps in one index', () => {
  const steps = planOf(QUEUED_JUDGES).filter((step) => step.includes('provider_requests'))
  expect(steps).toHaveLength(2)
  for (const step of steps)
    expect(step).toMatch(/^SEARCH provider_requests USING COVERING INDEX provider_requests_queued \(batch=\?/)
})

test('who waits for nothing any more: the batch once, each item by an index', () => {
  const plan = planOf(WAKE_ALL)
  expect(plan[0]).toMatch(/^SEARCH batch_items USING INDEX .* \(batch=\?\)$/)
  expect(plan.at(-1)).toBe('SEARCH open USING INDEX provider_requests_open (batch=? AND item=?)')
})

test('what should run: by status alone', () => {
  const steps = planOf(TO_RUN).filter((step) => /SEARCH|SCAN/.test(step))
  expect(steps).toEqual(steps.map(() => 'SEARCH batches USING INDEX batches_by_status (status=?)'))
  expect(steps.length).toBeGreaterThan(0)
})

describe('lists of batches walk one index, in its order; what each has is found by it', () => {
  const LISTS: readonly [object, string][] = [
    [{ id: 'x' }, 'SEARCH batches USING INDEX sqlite_autoindex_batches_1 (id=?)'],
    [{}, 'SCAN batches USING INDEX sqlite_autoindex_batches_1'],
    [{ before: 'x' }, 'SEARCH batches USING INDEX sqlite_autoindex_batches_1 (id<?)'],
    [{ key: 'x' }, 'SEARCH batches USING INDEX batches_by_key (key=?)'],
    [{ key: 'x', before: 'x' }, 'SEARCH batches USING INDEX batches_by_key (key=? AND id<?)'],
    [{ status: 'done' }, 'SEARCH batches USING INDEX batches_by_status (status=?)'],
    [{ status: 'done', before: 'x' }, 'SEARCH batches USING INDEX batches_by_status (status=? AND id<?)'],
    [{ key: 'x', status: 'done', before: 'x' }, 'SEARCH batches USING INDEX batches_by_key (key=? AND id<?)'],
  ]
  test.each(LISTS)('%j', (query, step) => {
    expect(planOf(renderBatches(false, { ...query, limit: 50 })[0])).toEqual([
      'CO-ROUTINE page',
      step,
      'SCAN page',
      'SEARCH tally USING PRIMARY KEY (batch=?) LEFT-JOIN',
      'SEARCH spending USING PRIMARY KEY (scope=?) LEFT-JOIN',
      'USE TEMP B-TREE FOR LAST 3 TERMS OF ORDER BY',
    ])
  })
})

describe('the grades of a batch walk its items, in their order', () => {
  const others = FILTERS.filter((name) => name !== 'batch')
  const QUERIES: readonly [string, Partial<GradeQuery>, string][] = [
    ['alone', {}, 'grade_id>?'],
    ['a further page', { before: 'grd_x' }, 'grade_id<?'],
    ...others.map((name): [string, Partial<GradeQuery>, string] => [`and ${name}`, { [name]: 'x' }, 'grade_id>?']),
    ['and all', { ...Object.fromEntries(others.map((name) => [name, 'x'])), before: 'grd_x' }, 'grade_id<?'],
  ]
  test.each(QUERIES)('%s', (_name, query, range) => {
    expect(planOf(renderList(false, { ...query, batch: 'bat_x', limit: 50 }, 'grades.body')[0])).toEqual([
      `SEARCH item USING COVERING INDEX batch_items_by_grade (batch=? AND ${range})`,
      'SCALAR SUBQUERY 1',
      'SEARCH batches USING COVERING INDEX sqlite_autoindex_batches_1 (id=?)',
      'SEARCH grades USING INDEX sqlite_autoindex_grades_1 (id=?)',
    ])
  })
})
