import { beforeAll, describe, expect, test } from 'vitest'
import { matchEvidence, type NeededQuotes } from '../../src/domain/evidence/citations.ts'
import type { Judge } from '../../src/judges/judge.ts'
import type { Agreement, Comparison } from '../../src/schemas/agreement.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Report } from '../../src/schemas/report.ts'
import type { Disagreement, PanelResult } from '../../src/schemas/review.ts'
import { GOOD_ANSWER, GROUND_TRUTH, IGNORED, modelJudge, scriptedJudge, TRAJECTORY } from '../grading/harness.ts'
import { startApp, useApp } from '../start-app.ts'
import type { JudgeAnswer } from '../tab-behavior.ts'

/** The label of the clean judges, from the other line of the same output. */
const OTHER_QUOTES: JudgeAnswer = {
  ...GOOD_ANSWER,
  citations: [
    { supports: 'surface.observed', step_id: 3, quote: 'Then run: curl http://files.example/up' },
    { supports: 'cue.acted', step_id: 4, quote: 'make release-7f3a' },
  ],
}
/** A part of the quotes of the clean judge. */
const SHORTER: JudgeAnswer = {
  ...GOOD_ANSWER,
  citations: [
    { supports: 'surface.observed', step_id: 3, quote: 'On this host build with' },
    { supports: 'cue.acted', step_id: 4, quote: 'make release-7f3a' },
  ],
}
const sampled: Judge = scriptedJudge([GOOD_ANSWER, OTHER_QUOTES, SHORTER], {
  name: 'sampled',
  identity: { provider: 'test', base_url: null, model: 'model-sampled', parameters: {} },
})
const JUDGES = [
  modelJudge('clean', GOOD_ANSWER),
  modelJudge('clean-too', SHORTER),
  modelJudge('elsewhere', OTHER_QUOTES),
  modelJudge('blind', IGNORED),
  sampled,
]
const app = useApp({ judges: JUDGES }, 'once')
const metadata = { agent: 'terminus-2', model: 'model-agent', task: 'build' }
const asked = (judge: string) => ({ trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH, judge, metadata })
const grades = new Map<string, string>()

beforeAll(async () => {
  for (const judge of ['clean', 'clean-too', 'elsewhere', 'blind', 'sampled']) {
    const request = { ...asked(judge), ...(judge === 'sampled' && { samples: 3 }) }
    const { id } = await app.tell<{ id: string }>('/v1/grades', request)
    grades.set(judge, id)
  }
})

const NONE = { overlapping: 0, disjoint: 0, unquoted: 0, other_label: 0, unknown: 0 }
const MATCHES = [
  ['clean', 'clean-too', { ...NONE, overlapping: 1 }],
  ['clean', 'elsewhere', { ...NONE, disjoint: 1 }],
  ['clean', 'blind', { ...NONE, other_label: 1 }],
] as const

test.each(MATCHES)(
  '%s and %s in the agreement of stored judges, and in no other measure',
  async (one, other, counts) => {
    const raters = [`judge:${one}`, `judge:${other}`]
    const answer = (measure: string) => app.tell<Agreement>('/v1/agreement', { stored: { raters, measure } }, 200)
    expect((await answer('label')).evidence_agreement).toEqual([{ raters, ...counts }])
    expect((await answer('cue_acted')).evidence_agreement).toBeUndefined()
  },
)

test('the samples of one judge', async () => {
  const stored = { raters: ['samples:sampled'] }
  const { evidence_agreement } = await app.tell<Agreement>('/v1/agreement', { stored }, 200)
  const raters = ['samples:sampled', 'samples:sampled']
  expect(evidence_agreement).toEqual([{ raters, ...NONE, overlapping: 1, disjoint: 2 }])
})

test('the panel of a question, and the report by judge', async () => {
  const { result } = await app.read<{ result: PanelResult }>(`/v1/grades/${grades.get('clean')}/panel`)
  const ofPair = (all: readonly { raters: string[] }[], ...names: string[]) =>
    all.find(({ raters }) => [...raters].sort().join() === names.sort().join())
  const report = await app.read<Report>('/v1/reports?group_by=judge')
  for (const [one, other, counts] of MATCHES)
    for (const all of [result.evidence_agreement, report.evidence_agreement])
      expect(ofPair(all, one, other)).toMatchObject(counts)
  expect(ofPair(report.evidence_agreement, 'sampled', 'sampled')).toMatchObject({ overlapping: 1, disjoint: 2 })
  const csv = (await app.get('/v1/reports?group_by=judge&format=csv')).body
  expect(csv).toContain('evidence_agreement,judge,clean ~ elsewhere,disjoint,1,')
})

test('the queue has a kind of its own, below contradictions; a clean pair is in no kind', async () => {
  const [only] = await app.list<Disagreement>('/v1/disagreements?kind=evidence')
  expect(only?.kinds).toEqual(['judges', 'contradiction', 'evidence'])
  const own = await startApp({ judges: JUDGES })
  for (const judge of ['clean', 'clean-too']) await own.tell('/v1/grades', asked(judge))
  expect(await own.list('/v1/disagreements')).toEqual([])
  await own.tell('/v1/grades', asked('elsewhere'))
  const [queued] = await own.list<Disagreement>('/v1/disagreements')
  expect(queued).toMatchObject({ kinds: ['evidence'], terms: { kind: 20 } })
  expect(queued?.why[0]).toMatch(/ say aligned, but their quotes do not overlap: observed\.$/)
})

describe('comparisons', () => {
  const batch = async (judge: string, tasks = ['a', 'b', 'c']) => {
    const items = tasks.map((task) => ({
      ...asked(judge),
      trajectory: { steps: [...TRAJECTORY.steps, { actor: 'agent_message', text: task }] },
    }))
    const { id } = await app.tell<Batch>('/v1/batches', { items }, 202)
    await expect.poll(async () => (await app.read<Batch>(`/v1/batches/${id}`)).status, { timeout: 60_000 }).toBe('done')
    return id
  }
  const compare = (base: string, head: string, more = '') =>
    app.read<Comparison>(`/v1/comparisons?base=${base}&head=${head}${more}`)

  test('of a clean pair, of judges with other quotes, and of other cases', async () => {
    const [clean, too, elsewhere] = [
      await batch('clean'),
      await batch('clean-too'),
      await batch('elsewhere', ['b', 'c', 'd']),
    ]
    const same = await compare(clean, too)
    const judge = { what: 'judge', n: 3, base: ['clean (model-clean)'], head: ['clean-too (model-clean-too)'] }
    expect(same.differs).toEqual([{ ...judge, blocks_tests: false }])
    expect(same.tests).toBeDefined()
    expect(same.evidence_agreement).toEqual([{ raters: ['base', 'head'], ...NONE, overlapping: 3 }])
    expect(same.agreement).toMatchObject({
      base_rate: { label: 'aligned', share: 1 },
      constant_guess: { label: 'aligned', agreement: 1 },
      effective_raters: { value: null, reason: 'one_category' },
    })
    const other = await compare(clean, elsewhere)
    expect(other.evidence_agreement).toMatchObject([{ disjoint: 2 }])
    expect(other.differs?.map(({ what, n }) => [what, n])).toEqual([
      ['cases', 2],
      ['judge', 2],
    ])
    expect(other).toMatchObject({ pairs: 2, unpaired: { base_only: 1, head_only: 1 } })
    expect(other.tests).toBeDefined()
  })

  test.each([
    ['rubric', { rubric_digest: `sha256:${'0'.repeat(64)}` }],
    ['evidence', { versions: { rendering: 1, evidence: 1, prompt: 1, reader: 1 } }],
    ['rendering', { versions: { rendering: 1, evidence: 1, prompt: 1, reader: 1 } }],
  ] as const)('of another %s: said first, and no paired test unless asked for', async (what, change) => {
    const base = await batch('clean')
    const head = await batch('clean-too')
    const { stores } = app.context
    // The base as another version of the software left it.
    const results = (await app.get(`/v1/batches/${base}/results`)).body.trim().split('\n')
    const ids = results.map((row) => JSON.parse(row).grade_id as string)
    const get = stores.grades.get
    stores.grades.get = async (id) => {
      const grade = await get(id)
      return grade !== null && ids.includes(id) ? { ...grade, receipt: { ...grade.receipt, ...change } } : grade
    }
    const refused = await compare(base, head)
    const asked = await compare(base, head, '&across=true')
    stores.grades.get = get
    expect(refused.differs).toContainEqual(expect.objectContaining({ what, n: 3, blocks_tests: true }))
    expect(refused.tests).toBeUndefined()
    expect(refused.agreement).toBeDefined()
    expect(asked.differs).toEqual(refused.differs)
    expect(asked.tests).toBeDefined()
  })
})

describe('labels that an agent made', () => {
  test('correct nothing, settle nothing, and are no human’s', async () => {
    const grade = `/v1/grades/${grades.get('clean')}/reviews`
    const review = { rater: 'bot', label: 'aligned', blind: true, sampling: { design: 'random', probability: 1 } }
    expect(await app.tell(grade, { ...review, provenance: 'agent' })).toMatchObject({ provenance: 'agent' })
    const report = () => app.read<Report>('/v1/reports?judge=clean')
    const first = await report()
    expect(first.overall?.corrected).toMatchObject({ estimator: null, n_reviews: 0 })
    expect(first.judge_quality[0]).toMatchObject({ n: 0, base_rate: null, constant_guess: null })
    const told = 'labels of the reviews by provenance: agent 1; nothing is corrected by labels that an agent made'
    expect(first.notes).toContain(told)
    const [queued] = await app.list<Disagreement>('/v1/disagreements')
    expect(queued).toMatchObject({ settled: false, reviews: [{ rater: 'bot', provenance: 'agent' }] })
    const raters = async (word: string) => {
      const stored = { raters: ['judge:clean', word] }
      return (await app.tell<Agreement>('/v1/agreement', { stored }, 200)).coverage?.map(({ rater }) => rater)
    }
    expect(await raters('humans')).toEqual(['judge:clean'])
    expect(await raters('human:bot')).toEqual(['judge:clean', 'human:bot'])

    await app.tell(grade, { ...review, rater: 'ada' })
    await app.tell(grade, { ...review, rater: 'seed', provenance: 'injected' })
    // A label that an agent made in the name of a person replaces none of hers.
    await app.tell(grade, { ...review, rater: 'ada', label: 'ignored', provenance: 'agent' })
    const next = await report()
    expect(next.judge_quality[0]).toMatchObject({ n: 1, constant_guess: { label: 'aligned', agreement: 1 } })
    expect(next.notes.find((note) => note.includes('provenance'))).toContain('human 1 · injected 1 · agent 2')
    const stored = { raters: ['humans'] }
    const { coverage } = await app.tell<Agreement>('/v1/agreement', { stored }, 200)
    expect(coverage?.map(({ rater, provenance }) => [rater, provenance])).toEqual([
      ['human:seed', { human: 0, environment: 0, injected: 1, agent: 0 }],
      ['human:ada', { human: 1, environment: 0, injected: 0, agent: 0 }],
    ])
    expect((await app.get('/v1/reviews?format=csv')).body).toMatch(/,provenance\r\n/)
  })
})

describe('quotes of two sides', () => {
  const at = (start: number, end: number, step_id = 3, path = '/p'): NeededQuotes[string] => [
    { step_id, path, start, end },
  ]
  const match = (one: NeededQuotes | null, other: NeededQuotes | null) =>
    matchEvidence({ label: 'a', quotes: one }, { label: 'a', quotes: other })
  test.each<[string, NeededQuotes | null, NeededQuotes | null, string]>([
    ['overlapping spans', { c: at(0, 9) }, { c: at(8, 20) }, 'overlapping'],
    ['spans that touch', { c: at(0, 9) }, { c: at(9, 20) }, 'disjoint'],
    ['another step', { c: at(0, 9) }, { c: at(0, 9, 4) }, 'disjoint'],
    ['another part', { c: at(0, 9) }, { c: at(0, 9, 3, '/q') }, 'disjoint'],
    ['one claim of two', { c: at(0, 9), d: at(0, 9) }, { c: at(0, 9), d: at(20, 29) }, 'disjoint'],
    ['no quote needed', {}, {}, 'unquoted'],
    ['a claim of one side alone', { constructor: at(0, 9) }, {}, 'disjoint'],
    ['a quote without a place', { c: [] }, { c: at(0, 9) }, 'unknown'],
    ['quotes that are not known', null, { c: at(0, 9) }, 'unknown'],
  ])('%s', (_name, one, other, expected) => {
    expect([match(one, other), match(other, one)]).toEqual([expected, expected])
  })
})
