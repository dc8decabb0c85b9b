import Database from 'better-sqlite3'
import { describe, expect, test, vi } from 'vitest'
import { FILTERS, type GradeQuery } from '../../src/db/grades.ts'
import { NO_CAPS } from '../../src/db/spending.ts'
import type { Stores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { begin, finishOk, planAttempt } from './make-attempt.ts'
import { AT, ENDS, openBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'
import { answered, BATCH, LIMITS, makeRequest, markOf } from './make-request.ts'
import { openSqlite } from './open-sqlite.ts'

const probe = new Database(':memory:')
const STATEMENT = Object.getPrototypeOf(probe.prepare('SELECT 1')) as { all: () => unknown; run: () => unknown }

type Work = (stores: Stores) => Promise<unknown>

/** Returns the plans of the statements that work on a store runs. Placeholders are left unbound: no plan may depend on values. */
async function plansOf(work: Work, prepare?: Work): Promise<string[][]> {
  const { run, stores } = openSqlite()
  await openBatch(stores, BATCH, 4)
  await prepare?.(stores)
  const spies = (['all', 'run'] as const).map((name) => vi.spyOn(STATEMENT, name))
  await work(stores)
  const texts = spies.flatMap(({ mock }) => mock.contexts.map((statement) => (statement as Database.Statement).source))
  for (const spy of spies) spy.mockRestore()
  const plans: string[][] = []
  for (const text of texts)
    plans.push((await run(`EXPLAIN QUERY PLAN ${text.replaceAll('?', 'NULL')}`)).map(({ detail }) => String(detail)))
  // The rows of an INSERT are no table.
  return plans.filter((plan) => plan.some((step) => !/VALUES CLAUSE/.test(step)))
}

const listOf = async (query: Partial<GradeQuery>) =>
  (await plansOf(({ grades }) => grades.list({ limit: 50, ...query })))[0]

describe('lists of grades walk one index, in its order', () => {
  test.each(FILTERS)('by %s', async (name) => {
    const step = `SEARCH grades USING INDEX grades_by_${name} (${name}=?`
    expect(await listOf({ [name]: 'x@1' })).toEqual([`${step})`])
    expect(await listOf({ [name]: 'x@1', before: 'grd_x' })).toEqual([`${step} AND id<?)`])
  })

  const PAIRS = FILTERS.flatMap((first, index) => FILTERS.slice(index + 1).map((second) => [first, second] as const))
  test('by the most selective of several filters', async () => {
    for (const [first, second] of PAIRS)
      expect(await listOf({ [second]: 'x@1', [first]: 'x@1', before: 'grd_x' })).toEqual([
        `SEARCH grades USING INDEX grades_by_${first} (${first}=? AND id<?)`,
      ])
    const rubric = 'SEARCH grades USING INDEX grades_by_rubric_id (rubric_id=?'
    expect(await listOf({ rubric: 'x' })).toEqual([`${rubric})`])
    expect(await listOf({ rubric: 'x', judge: 'j', before: 'grd_x' })).toEqual([`${rubric} AND id<?)`])
  })

  test('by nothing: the ids themselves', async () => {
    expect(await listOf({})).toEqual(['SCAN grades USING INDEX sqlite_autoindex_grades_1'])
    expect(await listOf({ before: 'x' })).toEqual(['SEARCH grades USING INDEX sqlite_autoindex_grades_1 (id<?)'])
  })

  test('of a batch: its items', async () => {
    expect(await listOf({ batch: 'bat_x', task: 'x', before: 'grd_x' })).toEqual([
      'SEARCH grades USING INDEX sqlite_autoindex_grades_1 (id=?)',
      expect.stringMatching('LIST SUBQUERY'),
      'SEARCH batch_items USING COVERING INDEX batch_items_by_grade (batch=? AND grade_id>?)',
      expect.stringMatching('SCALAR SUBQUERY'),
      'SEARCH batches USING COVERING INDEX sqlite_autoindex_batches_1 (id=?)',
    ])
  })
})

const ITEMS = 'SEARCH batch_items USING'
const CALLS = 'SEARCH attempts USING'
const OF_QUESTION = `${CALLS} INDEX attempts_of_provider (batch=? AND key=? AND sample=? AND round=? AND request_digest=?)`
const BY_ID = `${CALLS} INDEX sqlite_autoindex_attempts_1 (id=?)`
const ITEM = `${ITEMS} INDEX sqlite_autoindex_batch_items_1 (batch=? AND idx=?)`
const question = makeRequest('att_p', 0)
const queue: Work = ({ provider }) => provider.enqueue(question, NO_CAPS)
const send: Work = async (stores) => {
  await queue(stores)
  await stores.provider.record({ id: 'prb_1', batch: BATCH, judge: 'openai', at: AT }, LIMITS)
}
const call = planAttempt('att_1', { reserved_usd: 1, batch: BATCH, item: 0 })
const BATCH_LOCK = 'SEARCH batches USING INDEX sqlite_autoindex_batches_1 (id=?)'
const BATCH_LIST = 'SEARCH batches USING INDEX'

/** The work, a step of each of its plans in their order, and what stands before the work. */
const STEPS: readonly (readonly [string, Work, readonly string[], Work?])[] = [
  [
    'a key of the service',
    ({ access }) => access.findKey('x'),
    ['SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_1 (id=?)'],
  ],
  [
    'the grade of a key',
    ({ grades }) => grades.findByKey(digestBytes('x')),
    ['SEARCH grades USING INDEX grades_current (key=?)'],
  ],
  [
    'grades of a question',
    ({ grades }) => grades.listForQuestion('sha256:x/sha256:x'),
    ['SEARCH grades USING INDEX grades_by_question (<expr>=?)'],
  ],
  [
    'a grade that settles an item',
    ({ grades }) => grades.put({ ...makeRecord(), item: { batch: BATCH, index: 0 } }),
    ['SEARCH grades USING INDEX grades_current (key=?)', ITEM],
  ],
  [
    'the turn of a call',
    (stores) => begin(stores, call, { ...NO_CAPS, day_usd: 9 }),
    [
      ...['SEARCH judges USING PRIMARY KEY (name=?)', `${CALLS} INDEX attempts_by_request (<expr>=?)`],
      'SCAN attempts USING INDEX attempts_in_flight',
      'SEARCH batches USING INDEX sqlite_autoindex_batches_1 (id=?)',
    ],
    (stores) => begin(stores, planAttempt('att_0', { key: digestBytes('0') })),
  ],
  [
    'the end of a call',
    ({ attempts }) => attempts.finish(finishOk('att_1')),
    [BY_ID, 'SEARCH judges USING PRIMARY KEY (name=?)'],
    (stores) => begin(stores, call),
  ],
  ['lost calls', ({ attempts }) => attempts.markLost(''), ['SCAN attempts USING INDEX attempts_in_flight']],
  ['items in work', ({ attempts }) => attempts.inFlight(BATCH), ['SCAN attempts USING INDEX attempts_in_flight']],
  [
    'calls of a grade',
    ({ attempts }) => attempts.listForGrade('grd_a'),
    ['SEARCH grades USING INDEX sqlite_autoindex_grades_1 (id=?)', `${CALLS} INDEX attempts_by_grade (grade_id=?)`],
  ],
  [
    'pending items',
    ({ batches }) => batches.pending(BATCH, 0, 9),
    [`${ITEMS} INDEX batch_items_pending (batch=? AND idx>?)`],
  ],
  [
    'items of a chunk',
    ({ batches }) => batches.ofChunk({ batch: BATCH, chunk: 0, judge: '' }),
    [`${ITEMS} INDEX batch_items_pending (batch=? AND idx>? AND idx<?)`],
  ],
  ['results', ({ batches }) => batches.results(BATCH, 0, 9), [`${ITEMS} INDEX batch_items_ended (batch=? AND idx>?)`]],
  ['an item to settle', ({ batches }) => batches.settle({ batch: BATCH, index: 0 }, ENDS.aligned), [ITEM]],
  [
    'a batch with its counts',
    ({ batches }) => batches.get(BATCH),
    [
      ...[`${BATCH_LIST} sqlite_autoindex_batches_1 (id=?)`, `${ITEMS} COVERING INDEX batch_items_counted (batch=?)`],
      'SEARCH spending USING PRIMARY KEY (scope=?)',
    ],
  ],
  [
    'batches by key',
    ({ batches }) => batches.list({ key: 'x', status: 'done', before: 'x', limit: 9 }),
    [`${BATCH_LIST} batches_by_key (key=? AND id<?)`],
  ],
  [
    'batches by status',
    ({ batches }) => batches.list({ status: 'done', before: 'x', limit: 9 }),
    [`${BATCH_LIST} batches_by_status (status=? AND id<?)`],
  ],
  ['batches with work to do', ({ batches }) => batches.listDue(AT), [`${BATCH_LIST} batches_by_status (status=?)`]],
  ['a question to queue', queue, [BATCH_LOCK, OF_QUESTION, ITEM]],
  ['an answer of a provider', ({ provider }) => provider.find(markOf(question)), [OF_QUESTION]],
  [
    'questions to send',
    ({ provider }) => provider.record({ id: 'prb_1', batch: BATCH, judge: 'openai', at: AT }, LIMITS),
    [`${CALLS} INDEX attempts_queued (batch=? AND judge=?)`, `${CALLS} INTEGER PRIMARY KEY (rowid=?)`],
    queue,
  ],
  [
    'lines of a submission',
    ({ provider }) => provider.lines('x'),
    [`${CALLS} INDEX attempts_of_submission (submission=?)`],
  ],
  [
    'open submissions',
    ({ provider }) => provider.listOpen(BATCH),
    ['SEARCH submissions USING INDEX provider_batches_open (batch=?)'],
  ],
  [
    'answers of a submission',
    ({ provider }) => provider.storeEnds('prb_1', [answered('att_p')]),
    [BY_ID, BATCH_LOCK, `${ITEMS} INDEX batch_items_counted (batch=? AND status=?)`],
    send,
  ],
  [
    'queued questions to drop',
    ({ provider }) => provider.dropQueued(BATCH),
    [
      `${CALLS} COVERING INDEX attempts_queued (batch=?)`,
      BATCH_LOCK,
      `${ITEMS} INDEX batch_items_counted (batch=? AND status=?)`,
    ],
    queue,
  ],
]
for (const [name, work, steps, prepare] of STEPS)
  test(`${name}: by an index`, async () => {
    const plans = await plansOf(work, prepare)
    expect(plans.map((plan, at) => plan.find((step) => step === steps[at]) ?? plan)).toEqual(steps)
    const scans = plans.flat().filter((step) => step.startsWith('SCAN ') && !/json_each|attempts_in_flight/.test(step))
    expect(scans).toEqual([])
  })

test('the names of grades are found by steps in an index', async () => {
  const plans = await plansOf(({ grades }) => grades.overview({}))
  const steps = plans.flat().filter((step) => /COVERING INDEX grades_by_\w+( \(\w+>\?\))?$/.test(step))
  expect(steps).toHaveLength(10)
})
