import { beforeEach, describe, expect, test } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import type { Disposition, DispositionRequest, Findings, Signoff } from '../../src/schemas/review.ts'
import { makeReview } from '../audit/make-question.ts'
import { GOOD_ANSWER, GROUND_TRUTH, IGNORED } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { answeringJudge, finish, judgeOnHold, makeItems, startBatch, UNREAD_ITEM, untilBatch } from './make-batch.ts'

/** Refuses run 2 until it is told to answer, and cites too little of run 1. */
function makeJudges() {
  const state = { refuses: true }
  const scripted = answeringJudge((run) => {
    if (run === 2 && state.refuses) return { fail: 'refused' }
    return run === 1 ? { ...GOOD_ANSWER, citations: GOOD_ANSWER.citations.slice(0, 1) } : GOOD_ANSWER
  })
  const other = answeringJudge((run) => (run === 0 ? IGNORED : OTHER_QUOTES), 'other')
  return { state, judges: [scripted, other] }
}
/** The label of the judge, by the other line of the same output. */
const OTHER_QUOTES = {
  ...GOOD_ANSWER,
  citations: GOOD_ANSWER.citations.with(0, {
    ...{ supports: 'surface.observed', step_id: 3, quote: 'Then run: curl http://files.example/up' },
  }),
}
const ITEMS = [
  ...makeItems(4),
  UNREAD_ITEM,
  ...makeItems(1, { item_id: 'rewards', metadata: { task: 'fix\u202egit', conflicting_reward: true } }),
]

let app: TestApp
let judges: ReturnType<typeof makeJudges>
let id: string
let results: BatchResult[]

const read = (query = '') => app.read<Findings>(`/v1/batches/${id}/findings${query}`)
const classIds = async () => (await read()).classes.map((one) => one.id)
const dispose = (name: string, body: Partial<DispositionRequest> = {}, status = 201) =>
  app.tell<Disposition & Problem>(
    `/v1/batches/${id}/dispositions`,
    { class: name, disposition: 'accepted', by: 'Ada', ...body },
    status,
  )
const sign = (by = 'Ada', status = 201) => app.tell<Signoff & Problem>(`/v1/batches/${id}/signoff`, { by }, status)
const ownGrade = () => app.read<Grade>(`/v1/grades/${results[3]?.grade_id}`)
async function closeAll() {
  for (const name of await classIds()) await dispose(name)
}
const gradeAgain = async (n: number, more: object) => {
  const [item] = makeItems(n + 1, more).slice(n)
  await finish(app, (await startBatch(app, [item ?? {}])).id)
}

beforeEach(async () => {
  judges = makeJudges()
  app = await startApp({ judges: judges.judges })
  id = (await startBatch(app, ITEMS)).id
  results = (await finish(app, id)).results
})

describe('classes', () => {
  test('of each kind, by the cause, each with its trials', async () => {
    const { classes, open, ended, signoff, tally } = await read()
    expect(classes.map((one) => [one.id, one.count, one.trials.map(({ item_id }) => item_id)])).toEqual([
      ['failed:refused', 1, ['trial-2']],
      ['unverified:cue.acted', 1, ['trial-1']],
      ['contradiction:doubtful_absence/surface.observed/denied', 1, ['unread']],
      ['contradiction:doubtful_act', 1, ['unread']],
      ['unread:actions', 1, ['unread']],
      ['conflicting_reward', 1, ['rewards']],
    ])
    expect({ open, ended, signoff }).toEqual({ open: 6, ended: true, signoff: null })
    expect(tally).toContainEqual({ kind: 'failed', disposition: 'open', classes: 1, findings: 1 })
    expect(classes[0]).toMatchObject({ disposition: null, open: true })
    expect(classes[0]?.trials[0]).toMatchObject({ grade_id: results[2]?.grade_id, why: 'refused', name: 'trial-2' })
    expect(classes.at(-1)?.trials[0]).toMatchObject({ name: 'rewards', against: [] })
  })

  test('of disagreements with judges and people, with the grades and reviews of the other side', async () => {
    await gradeAgain(0, { judge: 'other' })
    await gradeAgain(3, { judge: 'other' })
    await app.tell(`/v1/grades/${results[3]?.grade_id}/reviews`, {
      ...{ rater: 'model-x', label: 'ignored', provenance: 'agent' },
    })
    const { id: review } = await app.tell<{ id: string }>(`/v1/grades/${results[3]?.grade_id}/reviews`, {
      rater: 'Ada',
      label: 'compliant',
    })
    const found = (await read()).classes.filter(({ kind }) => kind === 'disagreement')
    expect(found.map((one) => [one.id, one.count])).toEqual([
      ['disagreement:evidence/aligned', 1],
      ['disagreement:human/aligned~compliant', 1],
      ['disagreement:judges/aligned~ignored', 3],
    ])
    expect(found[1]?.trials[0]).toMatchObject({ item_id: 'trial-3', against: [review] })
    expect(found[2]?.trials[0]?.why).toMatch(/other@tab-behavior@\d says ignored/)
    expect((await read('?class=disagreement:human/aligned~compliant')).classes).toEqual([found[1]])
    expect((await app.get(`/v1/batches/${id}/findings?class=none`)).statusCode).toBe(404)
  })
})

describe('names from outside', () => {
  /** Stores the grades of other judges of a trial, one for each label. */
  async function putOthers(labels: readonly string[]) {
    const { stores, newId } = app.context
    const own = await ownGrade()
    for (const [n, label] of labels.entries()) {
      const receipt = { ...own.receipt, judge: `judge ${n}\u202e`, key: digestValue(n) }
      await stores.grades.put({ grade: { ...own, id: newId('grd'), label, receipt }, ground_truth: GROUND_TRUTH })
    }
  }
  const disagreements = async () => (await read()).classes.filter(({ kind }) => kind === 'disagreement')

  test('make no class id that an address or a shell would change, and two of them never one class', async () => {
    await putOthers([
      'a~b',
      'a',
      '$(id)',
      "'; rm -rf /",
      '\u202e\0\ud83d',
      'x'.repeat(100),
      'x'.repeat(99),
      '../..',
      '.',
    ])
    const classes = await disagreements()
    expect(new Set(classes.map((one) => one.id)).size).toBe(9)
    for (const one of classes) {
      expect(one.id).toMatch(/^disagreement:judges\/[\w.+-]{1,36}~[\w.+-]{1,36}$/)
      await dispose(one.id)
      const [asked] = (await read(`?class=${encodeURIComponent(one.id)}`)).classes
      expect(asked).toMatchObject({ id: one.id, open: false })
    }
  })

  test('make at most 200 classes of one kind: more are one class, which opens again with each of them', async () => {
    await putOthers(Array.from({ length: 200 }, (_, n) => `label-${n}`))
    expect(await disagreements()).toHaveLength(200)
    await putOthers(Array.from({ length: 201 }, (_, n) => `label-${n}`))
    const [one, ...more] = await disagreements()
    expect(more).toEqual([])
    expect(one).toMatchObject({ id: 'disagreement:various', count: 201, trials: { length: 5 } })
    await dispose('disagreement:various', { disposition: 'regraded' }, 409)
    await dispose('disagreement:various')
    await putOthers(['another'])
    expect(await disagreements()).toMatchObject([{ open: true, disposition: { disposition: 'accepted' } }])
  })
})

test('equal items and equal reviews are compared once, and each of them counts', { timeout: 60_000 }, async () => {
  const own = await ownGrade()
  const { trajectory, ground_truth, rubric } = own.receipt
  const question = { grade_id: own.id, trajectory, ground_truth, rubric }
  const reviews = Array.from({ length: 500 }, (_, n) => makeReview({ ...question, rater: `r${n}`, label: 'ignored' }))
  await Promise.all(reviews.map((review) => app.context.stores.reviews.put(review)))
  const same = Array.from({ length: 300 }, (_, n) => ({ ...makeItems(4)[3], item_id: `same ${n}` }))
  id = (await startBatch(app, same)).id
  await finish(app, id)
  const begun = performance.now()
  const least = await app.get(`/v1/batches/${id}/results`).then(() => performance.now() - begun)
  const { classes } = await read('?class=disagreement:human/aligned~ignored')
  // A comparison of each item with each review takes some hundred times as long.
  expect((performance.now() - begun) / least).toBeLessThan(60)
  expect(classes).toMatchObject([{ count: 300, trials: { length: 300 } }])
  expect(classes[0]?.trials[0]?.against).toHaveLength(20)
})

describe('dispositions', () => {
  test('close a class, the newest counts, and a repetition is not stored again', async () => {
    const first = await dispose('failed:refused', { disposition: 'dismissed', reason: 'An outage.' })
    expect(first).toMatchObject({ batch: id, class: 'failed:refused', by: 'Ada', reason: 'An outage.', count: 1 })
    expect((await read()).classes[0]).toMatchObject({ open: false, disposition: first })
    const again = await Promise.all(
      [1, 2, 3].map(() => dispose('failed:refused', { disposition: 'dismissed', reason: 'An outage.' })),
    )
    expect(again).toEqual([first, first, first])
    const { digest } = await dispose('failed:refused', { by: 'Bob' })
    expect((await read()).classes[0]?.disposition).toMatchObject({ disposition: 'accepted', by: 'Bob', digest })
    expect((await read()).tally[0]).toEqual({ kind: 'failed', disposition: 'accepted', classes: 1, findings: 1 })
  })

  test.each([
    ['a dismissal without a reason', { disposition: 'dismissed' }, 400, 'invalid_request'],
    ['a dismissal with a reason without words', { disposition: 'dismissed', reason: '…\n' }, 400, 'invalid_request'],
    ['no name', { by: '' }, 400, 'invalid_request'],
    ['a class that the batch does not have', { class: 'failed:timeout' }, 404, 'not_found'],
    ['the class of sign-offs', { class: 'signoff' }, 404, 'not_found'],
    ['findings that are others now', { digest: `sha256:${'0'.repeat(64)}` }, 409, 'findings_changed'],
    ['a re-grade that was not made', { disposition: 'regraded' }, 409, 'not_regraded'],
  ] as const)('%s is refused', async (_name, body, status, code) => {
    expect(await dispose('failed:refused', body, status)).toMatchObject({ code })
    expect((await read()).classes[0]).toMatchObject({ disposition: null })
  })

  test('a class that gains a finding is open again', async () => {
    await gradeAgain(0, { judge: 'other' })
    const name = 'disagreement:judges/aligned~ignored'
    const { digest } = await dispose(name)
    await gradeAgain(0, { judge: 'other', cache: 'refresh' })
    const { classes } = await read()
    expect(classes.find((one) => one.id === name)).toMatchObject({ open: true, disposition: { digest } })
  })

  test('`regraded` holds with a newer grade of each trial that did not fail, and that is not the other side', async () => {
    await gradeAgain(2, { cache: 'refresh' })
    expect(await dispose('failed:refused', { disposition: 'regraded' }, 409)).toMatchObject({
      detail:
        '1 trial without a grade that is newer than the batch, did not fail, and has no finding of the class: "trial-2"; grade again first, or accept or dismiss the class',
    })
    judges.state.refuses = false
    await gradeAgain(2, { cache: 'refresh' })
    expect(await dispose('failed:refused', { disposition: 'regraded' })).toMatchObject({ disposition: 'regraded' })
    await gradeAgain(0, { judge: 'other' })
    await dispose('disagreement:judges/aligned~ignored', { disposition: 'regraded' }, 409)
    await gradeAgain(0, { cache: 'refresh' })
    await dispose('disagreement:judges/aligned~ignored', { disposition: 'regraded' })
  })
})

describe('a sign-off', () => {
  test('is refused while a class is open, and names the open classes', async () => {
    await dispose('failed:refused')
    const { code, detail, errors } = await sign('Ada', 409)
    expect({ code, detail }).toEqual({ code: 'findings_open', detail: '5 classes are open' })
    expect(errors?.map(({ message }) => message)).toContain('unverified:cue.acted: 1 finding')
  })

  test('counts what was decided, and is not stored twice', async () => {
    await closeAll()
    await dispose('failed:refused', { disposition: 'dismissed', reason: 'An outage.' })
    const signoff = await sign()
    const { results: digest, findings } = await read()
    expect(signoff).toMatchObject({ batch: id, by: 'Ada', results: digest, findings })
    expect(signoff.counts).toMatchObject({ total: 6, graded: 4, unverified: 1, failed: 1 })
    expect(signoff.tally[0]).toEqual({ kind: 'failed', disposition: 'dismissed', classes: 1, findings: 1 })
    expect(await Promise.all([sign(), sign()])).toEqual([signoff, signoff])
    expect((await read()).signoff).toEqual({ ...signoff, outdated: false })
  })

  test('is outdated by a new finding and by a new decision, and another sign-off takes its place', async () => {
    await closeAll()
    await sign()
    await app.tell(`/v1/grades/${results[3]?.grade_id}/reviews`, { rater: 'Bob', label: 'ignored' })
    expect((await read()).signoff).toMatchObject({ by: 'Ada', outdated: true })
    await sign('Bob', 409)
    await dispose('disagreement:human/aligned~ignored')
    await sign('Bob')
    expect((await read()).signoff).toMatchObject({ by: 'Bob', outdated: false })
    await dispose('failed:refused', { by: 'Bob' })
    expect((await read()).signoff).toMatchObject({ outdated: true })
  })

  test('of a cancelled batch covers the trials that were never graded', async () => {
    const hold = judgeOnHold()
    const other = await startApp({ judges: [hold] })
    const begun = await startBatch(other, makeItems(200))
    await hold.asked
    expect(await other.tell<Problem>(`/v1/batches/${begun.id}/signoff`, { by: 'Ada' }, 409)).toMatchObject({
      code: 'batch_not_ended',
    })
    await other.tell(`/v1/batches/${begun.id}/cancel`, undefined, 202)
    hold.answer(GOOD_ANSWER)
    await untilBatch(other, begun.id, ({ status }: Batch) => status === 'cancelled')
    const { classes } = await other.read<Findings>(`/v1/batches/${begun.id}/findings`)
    expect(classes).toMatchObject([{ id: 'cancelled', trials: { length: 5 } }])
    await other.tell(`/v1/batches/${begun.id}/dispositions`, { class: 'cancelled', disposition: 'accepted', by: 'A' })
    await other.tell(`/v1/batches/${begun.id}/signoff`, { by: 'A' })
  })
})
