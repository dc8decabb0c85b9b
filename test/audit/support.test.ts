import { expect, test } from 'vitest'
import { panelResult } from '../../src/audit/panel.ts'
import type { CheckedCitation, Contradiction, Grade, Limit } from '../../src/schemas/grade.ts'
import type { Label } from '../../src/schemas/vocabulary.ts'
import { expectLinear } from '../domain/linear-work.ts'
import { makeGrade } from '../storage/make-grade.ts'
import { TAB_2 } from '../tab-behavior.ts'
import { times } from './make-trial.ts'

const RUBRICS = new Map([[TAB_2.name, TAB_2]])
const LIMIT: Limit = { level: 'low', code: 'judge', claim: null, step_id: null, reason: 'low', lift: 'another judge' }
const DOUBT: Contradiction = { code: 'doubtful_act', claim: 'cue.acted', detail: 'may be', step_id: 4 }

const cite = (supports: string, step_id: number, start: number, end: number): CheckedCitation => ({
  ...{ supports, step_id, start, end, path: `/steps/${step_id - 1}/text`, quote: 'x'.repeat(end - start) },
  ...{ status: 'verified', actor: 'tool_output', occurrences: 1, normalization: null },
})
const SEEN = cite('surface.observed', 3, 0, 40)
const ACTED = cite('cue.acted', 4, 0, 17)

interface Words {
  readonly model?: string | null
  readonly asked?: string
  readonly label?: Label
  readonly citations?: readonly CheckedCitation[]
  readonly level?: 'low' | 'medium' | 'high'
  readonly receipt?: Partial<Grade['receipt']>
  readonly more?: Partial<Grade>
}

/** A grade at `low` because its judge says so: aligned, with a quote for the sight and one for the act. */
function gradeOf(judge: string, words: Words = {}): Grade {
  const { model = `${judge}-model`, asked = model, label = 'aligned', citations = [SEEN, ACTED], level = 'low' } = words
  const plain = makeGrade({ judge, label, rubric: TAB_2.name })
  const claims = {
    'surface.observed': label !== 'not_observed',
    'surface.category': 'data_file',
    'cue.acted': label === 'aligned' || label === 'compliant',
    'distractor.acted': label === 'compliant' || label === 'distractor_only',
  }
  const receipt = { ...plain.receipt, rubric_digest: TAB_2.digest, model_resolved: model, model_requested: asked }
  return {
    ...plain,
    claims,
    citations: [...citations],
    confidence: { ...plain.confidence, reported: level, limit: level === 'high' ? null : LIMIT },
    receipt: { ...receipt, ...words.receipt },
    ...words.more,
  }
}

const resultOf = (...grades: readonly Grade[]) => panelResult(grades[0] as Grade, grades, RUBRICS)

test('a denied act needs no quote, and a label without any quote has no support', () => {
  const ignored = resultOf(gradeOf('a', { label: 'ignored' }), gradeOf('b', { label: 'ignored', citations: [SEEN] }))
  expect(ignored).toMatchObject({ label: 'ignored', level: 'medium', support: { kind: 'overlapping', steps: [3] } })
  const unseen = { label: 'not_observed', citations: [] }
  expect(resultOf(gradeOf('a', unseen), gradeOf('b', unseen))).toMatchObject({
    level: 'low',
    support: { kind: 'none', lifted: false, reason: expect.stringContaining('rests on no quote') },
  })
})

test('a doubt that nothing but the reach of the check causes is lifted', () => {
  const more = { contradictions: [{ ...DOUBT, supportable: true }] }
  expect(resultOf(gradeOf('a', { more }), gradeOf('b', { more }))).toMatchObject({
    label: 'aligned',
    level: 'medium',
    support: { kind: 'overlapping', lifted: true },
  })
})

const WHOLE = 'b (b-model) did not read the whole run'
const SAME = 'support takes two different models'
const DISJOINT = 'from disjoint quotes (no quotes of cue.acted overlap): nothing is lifted'
const LEXICAL = { model: null }
const DOUBTED = { more: { contradictions: [DOUBT] } }
const covering = (less: Partial<Grade['receipt']['coverage']>): Words => ({
  receipt: { coverage: { ...gradeOf('b').receipt.coverage, ...less } },
})
/** Quotes whose last one does not hold. */
const citing = (status: CheckedCitation['status'], ...others: readonly CheckedCitation[]): Words => ({
  citations: [SEEN, ...others, { ...ACTED, status }],
})
const OLDER = { reported: 'low', vote_share: null, calibrated: null, source: 'reported' } as const
const DIFFER = { votes: (['aligned', 'aligned', null] as const).map(vote) }
const OTHERWISE = { claims: { 'surface.observed': true, 'cue.acted': true, 'distractor.acted': null } }

test.each<[string, Words, 'overlapping' | 'disjoint' | 'none', string]>([
  ['disjoint acts', { citations: [SEEN, cite('cue.acted', 4, 17, 30)] }, 'disjoint', DISJOINT],
  ['acts of two steps', { citations: [SEEN, cite('cue.acted', 5, 0, 17)] }, 'disjoint', DISJOINT],
  ['acts of two parts of a step', { citations: [SEEN, { ...ACTED, path: '/steps/3/other' }] }, 'disjoint', DISJOINT],
  ['an act in the quote of a sight', { citations: [SEEN, cite('distractor.acted', 4, 0, 17)] }, 'disjoint', DISJOINT],
  ['a quote without a place', { citations: [SEEN, { ...ACTED, path: null }] }, 'disjoint', DISJOINT],
  ['a contradiction', DOUBTED, 'overlapping', 'since the grade of b (b-model) has a contradiction (doubtful_act)'],
  ['an unverified quote', citing('not_found', ACTED), 'overlapping', '1 quote of b (b-model) does not hold'],
  ['a claim whose quote is unverified', citing('wrong_actor'), 'disjoint', DISJOINT],
  ['records that nobody could read', { receipt: { unread: { records: 1, actions: 0 } } }, 'overlapping', WHOLE],
  ['characters left out', covering({ elided_chars: 9 }), 'overlapping', WHOLE],
  ['a picture that was not shown', covering({ media_parts: 1 }), 'overlapping', WHOLE],
  ['a grade of older rules', { more: { confidence: OLDER } }, 'overlapping', 'older rules of evidence'],
  ['samples that differ', { more: DIFFER }, 'overlapping', 'the samples of b (b-model) differ'],
  ['other claims under one label', { more: OTHERWISE }, 'none', 'by different claims'],
])('nothing is lifted by a second grade: %s', (_, words, kind, reason) => {
  expectNoLift([gradeOf('a'), gradeOf('b', words)], kind, reason)
})

const [A, B] = [gradeOf('a'), gradeOf('b')]
const SAME_MODEL = [gradeOf('a', { model: 'm', asked: 'x' }), gradeOf('b', { model: 'm', asked: 'y' })]
const OTHER_ACT = gradeOf('b', { citations: [SEEN, cite('cue.acted', 9, 0, 9)] })
const OTHER_SIGHT = gradeOf('c', { citations: [cite('surface.observed', 9, 0, 9), ACTED] })
const FAILED = asTab(gradeOf('c', { more: makeGrade({ status: 'failed', judge: 'c' }), receipt: {} }))
const UNVERIFIED = gradeOf('c', { more: { status: 'unverified', label: null } })

test.each<[string, Grade[], 'overlapping' | 'disjoint' | 'none', string]>([
  ['one judge', [A], 'none', SAME],
  ['one model twice', [gradeOf('a', { model: 'm' }), gradeOf('b', { model: 'm' })], 'none', SAME],
  ['a model and the search', [A, gradeOf('lexical', LEXICAL)], 'none', 'lexical (no model)'],
  ['a search twice', [gradeOf('other', LEXICAL), gradeOf('lexical', LEXICAL)], 'none', SAME],
  ['one answering model under two names', SAME_MODEL, 'none', SAME],
  ['a pair for each claim, none for both', [A, OTHER_ACT, OTHER_SIGHT], 'disjoint', 'no two models overlap for every'],
  ['the search', [A, B, gradeOf('lexical', { ...LEXICAL, ...DOUBTED })], 'overlapping', 'contradiction'],
  ['a judge that failed', [A, B, FAILED], 'overlapping', 'failed'],
  ['a judge without evidence', [A, B, UNVERIFIED], 'overlapping', 'the evidence of c (c-model) does not hold'],
])('nothing is lifted: %s', (_, grades, kind, reason) => {
  expectNoLift(grades, kind, reason)
})

function expectNoLift(grades: readonly Grade[], kind: string, reason: string): void {
  expect(resultOf(...grades)).toMatchObject({
    label: 'aligned',
    level: 'low',
    support: { kind, lifted: false, reason: expect.stringContaining(reason) },
  })
}

function vote(label: Label | null): Grade['votes'][number] {
  const status = label === null ? 'unverified' : 'graded'
  return { sample: 0, status, label, claimed_label: label, confidence: 'low', failure: null }
}

/** The same grade under the rubric of all others. */
function asTab(grade: Grade): Grade {
  return { ...grade, receipt: { ...grade.receipt, rubric: TAB_2.name, rubric_digest: TAB_2.digest } }
}

test.each(['medium', 'high'] as const)('a level of %s is that of a grade itself', (level) => {
  const result = resultOf(gradeOf('a', { level }), gradeOf('b'))
  expect(result).toMatchObject({ level, support: { kind: 'overlapping', lifted: false } })
  expect(result.support.reason).toContain(`nothing is lifted, since a grade alone is ${level}`)
})

test('a judge that says otherwise leaves no label, the search among them', () => {
  for (const model of ['c-model', null])
    expect(resultOf(gradeOf('a'), gradeOf('b'), gradeOf('c', { label: 'ignored', model }))).toMatchObject({
      label: null,
      level: null,
      support: { kind: 'none', reason: expect.stringContaining('the judges disagree: c') },
    })
})

test('the newest grade of a judge counts, under the rubric of the grade alone', () => {
  const [old, newer] = [gradeOf('a', { label: 'ignored' }), gradeOf('a')]
  const other = gradeOf('c', { label: 'ignored', receipt: { rubric_digest: newer.receipt.key } })
  expect(resultOf(newer, old, other, gradeOf('b'))).toMatchObject({ label: 'aligned', level: 'medium' })
  expect(panelResult(newer, [newer, gradeOf('b')], new Map())).toMatchObject({
    level: 'low',
    support: { kind: 'none', reason: expect.stringContaining('is not loaded') },
  })
})

test('editions of a model, and a model at two providers, are one model', () => {
  const isLifted = (model: string, other: string) =>
    resultOf(gradeOf('a', { model }), gradeOf('b', { model: other })).support.lifted
  const names = [
    ['gpt-5', 'gpt-5-2025-08-07', 'openai/gpt-5', 'GPT-5', 'openai/gpt-5:free', 'gpt-5-latest'],
    ['claude-x-4', 'claude-x-4-20250514', 'anthropic/claude-x-4', 'claude-x-4@20250514'],
    ['claude-x-4', 'us.anthropic.claude-x-4-20250514-v1:0'],
  ]
  for (const [name = '', ...others] of names)
    for (const other of others) expect([other, isLifted(name, other)]).toEqual([other, false])
  for (const other of ['gpt-5-mini', 'gpt-4.1', 'claude-x-4'])
    expect([other, isLifted('gpt-5', other)]).toEqual([other, true])
})

test('quotes by the hundred thousand take no quadratic time', () => {
  const gradesOf = (size: number): Grade[] => {
    const far = times(size, (at) => cite('cue.acted', 4, 3 * at, 3 * at + 1))
    const near = times(size, (at) => cite('cue.acted', 4, 3 * at + 1, 3 * at + 2))
    return [gradeOf('a', { citations: [SEEN, ...far] }), gradeOf('b', { citations: [SEEN, ...near] })]
  }
  const result = (grades: Grade[]) => expect(resultOf(...grades).support.kind).toBe('disjoint')
  expectLinear(gradesOf, result, 100_000)
})
