import { describe, expect, test } from 'vitest'
import type { GradeQuery } from '../../src/db/grades.ts'
import type { Stores } from '../../src/db/stores.ts'
import { type Digest, digestBytes } from '../../src/domain/digest.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import { type CheckedCitation, GradeSchema } from '../../src/schemas/grade.ts'
import type { Current } from './contract.ts'
import { openBatch, readBatch } from './make-batch.ts'
import { GROUND_TRUTH, type GradeWords, makeGrade, makeRecord } from './make-grade.ts'

async function putAll(stores: Stores, words: readonly GradeWords[]): Promise<string[]> {
  const ids: string[] = []
  for (const one of words) {
    const record = makeRecord(one)
    await stores.grades.put(record)
    ids.push(record.grade.id)
  }
  return ids
}

const listIds = async (stores: Stores, query: Partial<GradeQuery> = {}): Promise<string[]> =>
  (await stores.grades.list({ limit: 100, ...query })).map((grade) => grade.id)

const key = (word: string): Digest => digestBytes(word)

/** One grade that differs from the plain one in each column, and the filter that finds it alone. */
const FILTERS: readonly [string, GradeWords, Partial<GradeQuery>][] = [
  ['label', { label: 'compliant' }, { label: 'compliant' }],
  ['a label of any rubric', { label: 'guardrails_triggered' }, { label: 'guardrails_triggered' }],
  ['status', { status: 'unverified' }, { status: 'unverified' }],
  ['judge', { judge: 'openai' }, { judge: 'openai' }],
  ['rubric', { rubric: 'other@2' }, { rubric: 'other@2' }],
  ['agent', { metadata: { agent: 'Ωmega' } }, { agent: 'Ωmega' }],
  ['model', { metadata: { model: 'm' } }, { model: 'm' }],
  ['task', { metadata: { task: "fix'git" } }, { task: "fix'git" }],
  ['batch', { metadata: { batch: 'night 1' } }, { batch: 'night 1' }],
]

export function describeGrades(current: Current): void {
  describe('grades', () => {
    test('come back as they were, with their ground truth', async () => {
      const record = makeRecord({ notes: 'naïve 中文 \0 \ud83d', metadata: { agent: 'a', odd: null, run_index: 3 } })
      expect(inputIssues(GradeSchema, record.grade)).toEqual([])
      await current().grades.put(record)
      expect(await current().grades.get(record.grade.id)).toEqual(record.grade)
      expect(await current().grades.getText(record.grade.id)).toBe(JSON.stringify(record.grade))
      expect(await current().grades.getGroundTruth(record.grade.id)).toEqual(GROUND_TRUTH)
    })

    test('are counted with their citations, by judge and rubric; what only checked stored replies again is not', async () => {
      const cite = (quote: string, ...statuses: CheckedCitation['status'][]): CheckedCitation[] =>
        statuses.map((status) => ({
          ...{ supports: 'cue.acted', step_id: 1, quote, status, actor: null, path: null, start: null, end: null },
          occurrences: 0,
        }))
      const put = (words: GradeWords, citations: CheckedCitation[], silent = false) =>
        current().grades.put({ ...makeRecord(words), grade: { ...makeGrade(words), citations }, silent })
      // What a quote holds is text, also where it reads like what stands beside it.
      const hostile = '","status":"verified"} \0 \ud83d ],"unmet":"citations":['
      await put({ metadata: { status: 'verified' } }, cite(hostile, 'verified', 'not_found', 'verified'))
      await put({ status: 'unverified' }, cite('a', 'wrong_step'))
      await put({ judge: 'openai', rubric: 'injection@1', status: 'failed' }, [])
      await put({}, cite('a', 'verified'), true)
      const rows = await current().grades.countEvidence()
      const lexical = { judge: 'lexical', rubric: 'tab-behavior@1' }
      expect(rows).toEqual([
        { ...lexical, kind: 'citation', status: 'not_found', n: 1 },
        { ...lexical, kind: 'citation', status: 'verified', n: 2 },
        { ...lexical, kind: 'citation', status: 'wrong_step', n: 1 },
        { ...lexical, kind: 'grade', status: 'graded', n: 1 },
        { ...lexical, kind: 'grade', status: 'unverified', n: 1 },
        { judge: 'openai', rubric: 'injection@1', kind: 'grade', status: 'failed', n: 1 },
      ])
    })

    test('come back together, those that are stored', async () => {
      const [one = '', , two = ''] = await putAll(current(), [{}, {}, {}])
      const grades = await current().grades.getMany([two, 'grd_none', one])
      expect(grades.map(({ id }) => id).sort()).toEqual([one, two].sort())
      expect(grades).toContainEqual(await current().grades.get(one))
      expect(await current().grades.getMany([])).toEqual([])
    })

    test('that are unknown are null', async () => {
      expect(await current().grades.get('grd_none')).toBeNull()
      expect(await current().grades.getText('grd_none')).toBeNull()
      expect(await current().grades.getGroundTruth('grd_none')).toBeNull()
      expect(await current().grades.findByKey(key('none'))).toBeNull()
    })

    test('are written once: the same id again is refused and changes nothing', async () => {
      const { grade, ground_truth } = makeRecord({ key: 'k' })
      await current().grades.put({ grade, ground_truth })
      const again = { ...grade, notes: 'other', receipt: { ...grade.receipt, key: key('other') } }
      await expect(current().grades.put({ grade: again, ground_truth })).rejects.toMatchObject({
        code: 'storage_error',
      })
      expect(await current().grades.get(grade.id)).toEqual(grade)
      expect(await current().grades.findByKey(key('other'))).toBeNull()
    })

    test('that break the closed sets are refused whole', async () => {
      const grade = makeGrade({ key: 'k' })
      const wrong = [
        { ...grade, status: 'done' },
        { ...grade, status: 'unverified' },
        { ...grade, label: null },
      ] as never[]
      for (const one of wrong)
        await expect(current().grades.put({ grade: one, ground_truth: GROUND_TRUTH })).rejects.toThrow()
      expect(await current().grades.findByKey(key('k'))).toBeNull()
      expect(await listIds(current())).toEqual([])
    })

    describeAnswers(current)
    describeLists(current)
  })
}

function describeAnswers(current: Current): void {
  test('a refreshed grade answers the key; the old one stays readable', async () => {
    const [old = '', fresh = ''] = await putAll(current(), [{ key: 'k' }, { key: 'k', label: 'ignored' }])
    expect((await current().grades.findByKey(key('k')))?.id).toBe(fresh)
    expect((await current().grades.get(old))?.label).toBe('aligned')
  })

  test('a failed grade is stored, but never answers and never replaces', async () => {
    const [failed = ''] = await putAll(current(), [{ key: 'k', status: 'failed' }])
    expect((await current().grades.get(failed))?.status).toBe('failed')
    expect(await current().grades.findByKey(key('k'))).toBeNull()
    const [good] = await putAll(current(), [{ key: 'k' }, { key: 'k', status: 'failed' }])
    expect((await current().grades.findByKey(key('k')))?.id).toBe(good)
  })

  test('an unverified grade answers its key', async () => {
    const [id] = await putAll(current(), [{ key: 'k', status: 'unverified' }])
    expect((await current().grades.findByKey(key('k')))?.id).toBe(id)
  })
}

function describeLists(current: Current): void {
  test.each(FILTERS)('are found by %s', async (_name, words, query) => {
    const [, odd] = await putAll(current(), [{}, words, {}])
    expect(await listIds(current(), query)).toEqual([odd])
    expect(await listIds(current(), Object.fromEntries(Object.keys(query).map((name) => [name, 'absent'])))).toEqual([])
  })

  test('are found by the id of a rubric, whatever its version, and by no other id that begins so', async () => {
    const task = { task: 'a' }
    const rubrics = ['injection@1', 'injection@2', 'injections@1', 'injection-b@1', 'tab-behavior@2']
    const [first = '', second = ''] = await putAll(
      current(),
      rubrics.map((rubric) => ({ rubric, metadata: task })),
    )
    expect(await listIds(current(), { rubric: 'injection' })).toEqual([second, first])
    expect(await listIds(current(), { rubric: 'injection', limit: 1, before: second })).toEqual([first])
    expect(await listIds(current(), { rubric: 'injection', ...task })).toEqual([second, first])
    expect(await listIds(current(), { rubric: 'injection@2' })).toEqual([second])
    expect(await listIds(current(), { rubric: 'injection@' })).toEqual([])
    expect(await listIds(current(), { rubric: '' })).toEqual([])
    const standing = await current().grades.listStanding({ rubric: 'injection', limit: 9 })
    expect(standing.map(({ grade }) => grade.id)).toEqual([second, first])
  })

  test('are found by all filters together', async () => {
    const words = FILTERS.filter(([name]) => name !== 'status').map(([, one]) => one)
    const metadata = Object.assign({}, ...words.map((one) => one.metadata))
    const all: GradeWords = { ...Object.assign({}, ...words), metadata }
    const odd = (await putAll(current(), [...words, all])).at(-1)
    const query = Object.assign(
      { status: 'graded' },
      ...FILTERS.filter(([n]) => n !== 'status').map(([, , one]) => one),
    )
    expect(await listIds(current(), query)).toEqual([odd])
  })

  test('are listed newest first, whatever the order of writing, and paged without gaps or repeats', async () => {
    const written = await putAll(
      current(),
      [3, 1, 5, 2, 4].map((at) => ({ at, metadata: { agent: at === 5 ? 'other' : 'a' } })),
    )
    const newest = [...written].sort().reverse()
    expect(await listIds(current())).toEqual(newest)
    expect(await readPages(current(), {})).toEqual(newest)
    expect(await readPages(current(), { agent: 'a', status: 'graded' })).toEqual(newest.slice(1))
    expect(await listIds(current(), { limit: 0 })).toEqual([])
  })
}

async function readPages(stores: Stores, filter: Partial<GradeQuery>): Promise<string[]> {
  const seen: string[] = []
  for (;;) {
    const before = seen.at(-1)
    const page = await listIds(stores, { ...filter, limit: 2, ...(before !== undefined && { before }) })
    if (page.length === 0) return seen
    seen.push(...page)
  }
}

/** Grades that settle items, and the grades of a batch. */
export function describeItemGrades(current: Current): void {
  const listIds = async (query: Partial<GradeQuery>) =>
    (await current().grades.list({ limit: 10, ...query })).map((grade) => grade.id)
  const item = (index: number) => ({ batch: 'bat_1', index })

  describe('grades of items', () => {
    test('settle their item with what they are, once; a grade for an ended item is not stored', async () => {
      await openBatch(current(), 'bat_1', 4)
      const records = [
        makeRecord({ label: 'compliant' }),
        makeRecord({ status: 'unverified' }),
        makeRecord({ status: 'failed' }),
      ]
      for (const [index, record] of records.entries()) await current().grades.put({ ...record, item: item(index) })
      const late = makeRecord({ label: 'ignored' })
      await current().grades.put({ ...late, item: item(0) })
      const results = await current().batches.results('bat_1', -1, 10)
      expect(
        results.map(({ status, label, grade_id, cached, failure }) => [status, label, grade_id, cached, failure]),
      ).toEqual(records.map(({ grade }) => [grade.status, grade.label, grade.id, false, grade.failure]))
      expect(await current().grades.get(late.grade.id)).toBeNull()
      expect(await readBatch(current(), 'bat_1')).toMatchObject({
        counts: { pending: 1, graded: 1, unverified: 1, failed: 1 },
        labels: { compliant: 1 },
        failures: { timeout: 1 },
      })
    })

    test('a grade that is refused settles nothing', async () => {
      await openBatch(current(), 'bat_1', 1)
      const record = makeRecord()
      await current().grades.put(record)
      await expect(current().grades.put({ ...record, item: item(0) })).rejects.toMatchObject({ code: 'storage_error' })
      expect((await readBatch(current(), 'bat_1')).counts.pending).toBe(1)
    })

    test('a silent grade is kept without answering its key', async () => {
      const [loud, silent] = [makeRecord({ key: 'k' }), makeRecord({ key: 'k', label: 'ignored' })]
      await openBatch(current(), 'bat_1', 1)
      await current().grades.put({ ...silent, silent: true, item: item(0) })
      expect(await current().grades.findByKey(digestBytes('k'))).toBeNull()
      await current().grades.put(loud)
      await current().grades.put({ ...makeRecord({ key: 'k' }), silent: true })
      expect((await current().grades.findByKey(digestBytes('k')))?.id).toBe(loud.grade.id)
      expect((await current().grades.get(silent.grade.id))?.label).toBe('ignored')
      expect((await readBatch(current(), 'bat_1')).labels).toEqual({ ignored: 1 })
    })

    test('are found by their batch: newest first, each once, those of other batches that answered too', async () => {
      await openBatch(current(), 'bat_1', 6)
      const made = [1, 2, 3, 4].map((at) =>
        makeRecord({ at, label: at === 2 ? 'ignored' : 'aligned', metadata: { task: 'a' } }),
      )
      const [old = '', ignored = '', twice = '', foreign = ''] = made.map(({ grade }) => grade.id)
      for (const record of made) await current().grades.put(record)
      const end = (grade_id: string) => ({ status: 'graded', label: 'aligned', grade_id, cached: true }) as const
      for (const [index, id] of [twice, old, twice, ignored].entries())
        await current().batches.settle(item(index), end(id))
      await openBatch(current(), 'bat_2', 1)
      await current().batches.settle({ batch: 'bat_2', index: 0 }, end(foreign))
      expect(await listIds({ batch: 'bat_1' })).toEqual([twice, ignored, old])
      expect(await listIds({ batch: 'bat_1', limit: 1, before: twice })).toEqual([ignored])
      expect(await listIds({ batch: 'bat_1', label: 'ignored', status: 'graded', task: 'a' })).toEqual([ignored])
      expect(await listIds({ batch: 'bat_1', task: 'b' })).toEqual([])
      expect(await listIds({ batch: 'bat_2' })).toEqual([foreign])
      expect(await listIds({ batch: 'bat_none' })).toEqual([])
    })
  })
}
