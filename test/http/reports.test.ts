import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Agreement } from '../../src/schemas/agreement.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Report } from '../../src/schemas/report.ts'
import type { Disagreement } from '../../src/schemas/review.ts'
import type { Signals } from '../../src/schemas/trial.ts'
import { useApp } from '../start-app.ts'
import { GROUND_TRUTH, type GradeWords, makeGrade } from '../storage/make-grade.ts'

const PATH = '/v1/reports'
const app = useApp()

let questions = 0
/** A stored grade of a question of its own, or of the one that is named. */
async function store(
  words: GradeWords & {
    readonly question?: string
    readonly signals?: Signals
    readonly claims?: NonNullable<Grade['claims']>
    readonly truth?: object
  } = {},
): Promise<Grade> {
  const made = { ...makeGrade(words), ...(words.claims && { claims: words.claims }) }
  const trajectory = digestBytes(words.question ?? `question ${++questions}`)
  const own = words.truth && { ground_truth: digestBytes(JSON.stringify(words.truth)) }
  const grade = { ...made, receipt: { ...made.receipt, trajectory, ...own } }
  const ground_truth = { ...GROUND_TRUTH, ...words.truth, ...(words.signals && { signals: words.signals }) }
  await app.context.stores.grades.put({ grade, ground_truth })
  return grade
}

const about = (task: string, run_index: number, variant = 'tab', more = {}) => ({
  agent: 'terminus-2',
  model: 'm',
  task,
  run_index,
  variant,
  ...more,
})

const report = (query = '') => app.read<Report>(`${PATH}?draws=200&${query}`)

describe('from stored grades', () => {
  test('signals, labels, failures and Terminal-Bench runs, each once', async () => {
    const measured = (task: string, appeared: boolean, executed: boolean, resolved: boolean, words: GradeWords = {}) =>
      store({ metadata: about(task, 0), signals: { appeared, executed, resolved }, ...words })
    await measured('t1', true, false, true)
    await measured('t2', true, true, false, { label: 'compliant' })
    await measured('t3', false, false, true, { status: 'failed' })
    for (const [task, resolved] of [
      ['t1', true],
      ['t2', true],
      ['t3', false],
    ] as const)
      await store({ metadata: about(task, 0, 'terminal-bench'), label: 'not_observed', signals: { resolved } })
    const { overall, groups, notes, judges, rubric } = await report()
    expect({ judges, rubric }).toEqual({ judges: ['lexical'], rubric: 'tab-behavior@1' })
    expect(overall?.counts).toMatchObject({
      n: 3,
      graded: 2,
      unverified: 0,
      failed: 1,
      failures: { timeout: 1 },
      tasks: 3,
    })
    expect(overall?.shares['aligned']).toMatchObject({ k: 1, n: 2, unknown: 1 })
    expect(overall?.resistance_signals).toMatchObject({ k: 1, n: 2 })
    expect(overall?.cue_utilization).toMatchObject({ k: 1, n: 2 })
    expect(overall?.alignment?.value).toBe(0.25)
    expect(overall?.resolution).toMatchObject({ k: 2, n: 3 })
    expect(groups.map(({ key }) => key)).toEqual(['terminus-2'])
    expect(notes.join()).toContain('runs of variant terminal-bench (3)')
  })

  test('a Terminal-Bench run counts whoever graded it, in whatever batch', async () => {
    await store({ metadata: about('t1', 0, 'tab', { batch: 'a' }), judge: 'openai', signals: { resolved: true } })
    await store({ metadata: about('t1', 0, 'terminal-bench', { batch: 'b' }), signals: { resolved: true } })
    expect((await report()).overall?.cue_utilization).toMatchObject({ k: 1, n: 1 })
    expect((await report('judge=openai')).overall?.cue_utilization).toMatchObject({ k: 1, n: 1 })
    expect((await report('batch=a')).overall?.cue_utilization).toMatchObject({ k: 1, n: 1 })
  })

  test('a question graded again counts once, by its newest grade; a failure never stands for a good one', async () => {
    await store({ question: 'one', key: 'a', label: 'ignored', metadata: about('t1', 0) })
    await store({ question: 'one', key: 'b', label: 'aligned', metadata: about('t1', 0) })
    await store({ question: 'one', key: 'c', status: 'failed', metadata: about('t1', 0) })
    const { overall, notes } = await report()
    expect(overall?.counts).toMatchObject({ n: 1, graded: 1, failed: 0 })
    expect(overall?.shares['aligned']).toMatchObject({ k: 1, n: 1 })
    expect(notes.join()).toContain('2 older grades')
  })
})

describe('groups and claims of stored grades', () => {
  const counts = ({ groups }: Report) => groups.map(({ key, counts: { n } }) => [key, n])

  test('any field of the metadata is a grouping; one that no trial has names those that there are', async () => {
    const places = [
      ['Python', 'games'],
      ['Python', 'science'],
      ['Git', 'games'],
    ] as const
    for (const [index, [subcategory, domain]] of places.entries())
      await store({ metadata: about(`t${index}`, 0, 'tab', { subcategory, domain, model: `m${index % 2}` }) })
    expect(counts(await report('group_by=subcategory'))).toEqual([
      ['Git', 1],
      ['Python', 2],
    ])
    expect(counts(await report('group_by=domain'))).toEqual([
      ['games', 2],
      ['science', 1],
    ])
    expect((await report('group_by=run_index')).groups).toHaveLength(1)
    const refused = (await app.get(`${PATH}?group_by=colour`)).json()
    expect(refused).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/no field.*: .*domain.*subcategory.*judge/),
    })
    expect((await report('group_by=agent')).notes).toContain(
      'the agent "terminus-2" pools 2 models: name one, or group by model',
    )
  })

  test('a claim is of the trials that have its instruction; declined, never considered and unclear are apart', async () => {
    const seen = { 'surface.observed': true, 'surface.category': 'data_file', 'distractor.acted': false }
    const rubric = 'tab-behavior@2'
    for (const index of [0, 1, 2])
      await store({
        ...{ rubric, metadata: about(`t${index}`, 0) },
        claims: { ...seen, 'cue.acted': true, 'cue.reasoned': null, 'distractor.reasoned': index > 0 },
      })
    const none = { 'cue.acted': false, 'cue.reasoned': false, 'distractor.reasoned': false }
    await store({
      ...{ rubric, metadata: about('t3', 0, 'no-cue'), truth: { cue: undefined } },
      claims: { ...seen, ...none, 'surface.category': 'cli_tool_output' },
    })
    const { overall, groups } = await report('group_by=variant')
    const [bare, tab] = groups
    expect(tab).toMatchObject({
      distractor_declined: { k: 2, n: 3, unknown: 0 },
      cue_declined: { n: 0, unknown: 0, reason: 'no_cases' },
    })
    expect(tab?.claims['cue.acted']?.shares['true']).toMatchObject({ k: 3, n: 3 })
    expect(tab?.claims['cue.reasoned']?.shares['unclear']).toMatchObject({ k: 3, n: 3 })
    expect(bare?.claims['cue.acted']?.shares['true']).toMatchObject({ n: 0, reason: 'no_cases' })
    expect(overall?.claims['surface.category']?.shares['data_file']).toMatchObject({ k: 3, n: 4 })
  })

  test('variants are paired trial by trial: distractor, capability and the figures of TAB of both sides', async () => {
    const run = { appeared: true, resolved: true }
    for (const index of [0, 1, 2, 3]) {
      const more = { terminal_bench_resolved: true }
      const ofTab = { ...run, executed: index < 3, resolved: index > 1 }
      await store({ metadata: about(`t${index}`, 0, 'tab', more), signals: ofTab })
      await store({ metadata: about(`t${index}`, 0, 'defended', more), signals: { ...run, executed: index < 1 } })
    }
    const { paired } = await report('pair_by=variant&base=tab&head=defended')
    const rates = (name: string) => {
      const found = paired?.measures.find(({ measure }) => measure === name)
      return [found?.base_rate.value, found?.head_rate.value]
    }
    expect(paired?.pairs).toBe(4)
    expect([rates('executed'), rates('resolved'), rates('passed')]).toEqual([
      [0.75, 0.25],
      [0.5, 1],
      [0.25, 0.75],
    ])
    const { resistance, cue_utilization, alignment } = paired?.alignment ?? {}
    expect([resistance?.base.value, resistance?.head.value]).toEqual([0.25, 0.75])
    expect([cue_utilization?.base.value, cue_utilization?.head.value]).toEqual([0.5, 1])
    expect(alignment?.base.value).toBe(0.125)
  })

  test('another rubric has its own labels and claims, and nothing of TAB', async () => {
    for (const [index, kind] of ['system_failure', 'system_failure', 'invalid_invocation'].entries())
      await store({
        ...{ rubric: 'failure-attribution@1', metadata: { task: `t${index}`, agent: 'swe' }, label: kind },
        claims: { 'failure.step': 7, 'failure.agent': 'swe', 'failure.category': kind },
      })
    const { rubric, labels, overall } = await report()
    expect(rubric).toBe('failure-attribution@1')
    expect(labels).toContain('guardrails_triggered')
    expect(overall?.shares['system_failure']).toMatchObject({ k: 2, n: 3 })
    expect(Object.keys(overall?.claims ?? {})).toEqual(['failure.category'])
    expect(overall).not.toHaveProperty('alignment')
  })
})

describe('what would count trials twice is refused', () => {
  test('several judges: 400 names them; one named, or grouped by judge, is fine', async () => {
    await store({ question: 'one', key: 'a', metadata: about('t1', 0) })
    await store({ question: 'one', key: 'b', judge: 'openai', label: 'ignored', metadata: about('t1', 0) })
    const refused = await app.get(PATH)
    expect(refused.json()).toMatchObject({
      status: 400,
      code: 'several_graders',
      errors: [{ path: '/querystring/judge', message: 'is needed, one of: lexical, openai' }],
    })
    expect((await report('judge=openai')).overall?.shares['ignored']).toMatchObject({ k: 1, n: 1 })
    const both = await report('group_by=judge')
    expect(both.overall).toBeNull()
    expect(both.groups.map(({ key }) => key)).toEqual(['lexical', 'openai'])
  })

  test('several rubrics', async () => {
    await store({ question: 'one', key: 'a', metadata: about('t1', 0) })
    await store({ question: 'one', key: 'b', rubric: 'strict@2', metadata: about('t1', 0) })
    expect((await app.get(`${PATH}?group_by=judge`)).json()).toMatchObject({
      errors: [{ path: '/querystring/rubric' }],
    })
    expect((await report('rubric=strict@2')).overall?.counts.n).toBe(1)
  })

  test.each([
    ['pair_by=variant', '/querystring/base'],
    ['pair_by=variant&base=a', '/querystring/head'],
    ['pair_by=variant&base=a&head=a', '/querystring/head'],
    ['pair_by=variant&base=a&head=b&variant=a', '/querystring/variant'],
    ['base=a', '/querystring/base'],
    ['measure=aligned', '/querystring/measure'],
    ['draws=99', '/querystring/draws'],
    ['pair_by=variant&base=a&head=b&measure=kind', '/querystring/measure'],
  ])('%s', async (query, path) => {
    const response = await app.get(`${PATH}?${query}`)
    expect(response.json()).toMatchObject({ status: 400, errors: [{ path }] })
  })
})

describe('as a table', () => {
  test('one row a figure; names that steer a terminal or a spreadsheet are written out', async () => {
    for (const agent of ['__proto__', '=1+1', '\u001b[31mred', 'a,"b"'])
      await store({ metadata: { ...about('t1', 0), agent } })
    const response = await app.get(`${PATH}?draws=200&format=csv`)
    expect(response.headers['content-type']).toContain('text/csv')
    const [head, ...rows] = response.body.trimEnd().split('\r\n')
    expect(head).toBe('section,group_by,key,measure,value,ci95_low,ci95_high,k,n,unknown,method,reason')
    expect(rows.some((row) => row.startsWith('group,agent,__proto__,share.aligned,1,'))).toBe(true)
    expect(rows.some((row) => row.startsWith("group,agent,'=1+1,"))).toBe(true)
    expect(rows.some((row) => row.startsWith('group,agent,⟨U+001B⟩[31mred,'))).toBe(true)
    expect(rows.some((row) => row.startsWith('group,agent,"a,""b""",'))).toBe(true)
  })
})

test('an empty store has a report too: nothing but reasons', async () => {
  const { overall, groups, notes, rubric } = await report()
  expect(rubric).toBeNull()
  expect(groups).toEqual([])
  expect(overall?.shares['aligned']).toMatchObject({ value: null, n: 0, reason: 'no_cases' })
  expect(notes).toContain('no stored grade fits')
})

test('each grade is read once, in pages, by the report, the queue and the agreement, and others are answered meanwhile', async () => {
  const QUESTIONS = 2500
  const storeBoth = (at: number) => {
    const metadata = about(`t${at % 50}`, at, 'tab', { terminal_bench_resolved: true })
    const other = { judge: 'other', label: at % 10 === 0 ? 'compliant' : 'aligned' }
    return [{}, other].map((more) =>
      store({ question: `large ${at}`, key: `${at} ${'judge' in more}`, metadata, ...more }),
    )
  }
  for (let from = 0; from < QUESTIONS; from += 250)
    await Promise.all(Array.from({ length: 250 }, (_, at) => storeBoth(from + at)).flat())
  const { grades } = app.context.stores
  const counts = { rows: 0, most: 0, questions: 0 }
  const { listStanding, listForQuestion } = grades
  Object.assign(grades, {
    listStanding: async (query: Parameters<typeof listStanding>[0]) => {
      const page = await listStanding.call(grades, query)
      counts.rows += page.length
      counts.most = Math.max(counts.most, page.length)
      return page
    },
    listForQuestion: (question: string) => {
      counts.questions++
      return listForQuestion.call(grades, question)
    },
  })
  /** Counts what is read for an answer; others are asked until the answer is there. */
  const readFor = async <T>(asked: Promise<T>) => {
    Object.assign(counts, { rows: 0, most: 0, questions: 0 })
    let isDone = false
    let answered = 0
    const answer = asked.finally(() => {
      isDone = true
    })
    for (; !isDone; await delay(2)) if ((await app.get('/healthz')).statusCode === 200) answered++
    expect(counts.most).toBeLessThanOrEqual(200)
    // Held up, /healthz would be answered once or twice in the reading of thousands.
    expect(answered).toBeGreaterThan(counts.rows > QUESTIONS ? 5 : 0)
    return { ...counts, answer: await answer }
  }
  const queue = (query: string) => app.list<Disagreement>(`/v1/disagreements?limit=200&${query}`)
  const reported = await readFor(report('judge=lexical'))
  expect([reported.rows, reported.answer.overall?.counts.n]).toEqual([QUESTIONS, QUESTIONS])
  const queued = await readFor(queue(''))
  expect([queued.rows, queued.questions, queued.answer.length]).toEqual([2 * QUESTIONS, 0, 200])
  const chosen = await readFor(queue('task=t10'))
  expect([chosen.questions, chosen.answer.length]).toEqual([QUESTIONS / 50, QUESTIONS / 50])
  const stored = { raters: ['judge:lexical', 'judge:other'] }
  const { rows, answer } = await readFor(
    app.tell<Agreement>('/v1/agreement', { stored, bootstrap: { draws: 100 } }, 200),
  )
  expect([rows, answer.coverage?.map(({ graded }) => graded)]).toEqual([2 * QUESTIONS, [QUESTIONS, QUESTIONS]])
})
