import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../src/cli/errors.ts'
import { printGrade, printRefusal } from '../../src/cli/output/grade-text.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { testShell } from './test-shell.ts'

const HOSTILE = 'x\u001b]0;owned\u0007\u009b2J\u202ey\r\nz'

/** What a terminal would act on, but for our own styles. */
const acting = (text: string): string[] =>
  [...text.replaceAll(/\p{Cc}\[\d+m/gu, '')].filter((c) => /[\p{Cc}\u202e]/u.test(c))

const citation = { supports: 'cue.acted', step_id: 1, quote: HOSTILE, status: 'verified' }
const grade = {
  ...{ id: 'grd_1', status: 'failed', label: null, claimed_label: 'aligned' },
  confidence: { reported: 'high', vote_share: null, calibrated: null, source: 'reported' },
  citations: [{ ...citation, actor: 'agent_action', path: HOSTILE }],
  unmet: [{ claim: 'cue.acted', reason: HOSTILE }],
  contradictions: [{ detail: HOSTILE }],
  failure: { code: 'refused', message: HOSTILE, retryable: false, retry_after_s: null },
  notes: HOSTILE,
  receipt: {
    ...{ cache: 'miss', judge: HOSTILE, rubric: HOSTILE },
    warnings: [{ path: `/steps/0/${HOSTILE}`, message: HOSTILE }],
  },
}
const print = (more: object = {}, name = 'x') => printGrade(name, { ...grade, ...more } as unknown as Grade)
const linesOf = (more: object) => stripVTControlCharacters(print(more)).split('\n')

test('a failure names the calls of its grade by the id', () => {
  const failure = { code: 'schema_invalid', message: 'no JSON (its calls: veridict show GRADE --attempts)' }
  expect(print({ failure })).toContain('(its calls: veridict show grd_1 --attempts)')
})

describe('nothing that others wrote acts on a terminal', () => {
  test('in a grade', () => {
    const text = print({}, HOSTILE)
    expect(acting(text.replaceAll('\n', ''))).toEqual([])
    // Headline, judge, citation, unmet, contradiction, failure, notes, warning, and the blank line.
    expect(text.split('\n')).toHaveLength(10)
    expect(text.match(/⟨U\+009B⟩/g)).toHaveLength(10)
  })

  test('in a refusal', () => {
    const text = printRefusal(HOSTILE, HOSTILE, [{ path: `/${HOSTILE}`, message: HOSTILE }])
    expect([acting(text.replaceAll('\n', '')), text.split('\n').length]).toEqual([[], 2])
  })

  test('in whatever is thrown', async () => {
    const shell = testShell()
    await runCommand(shell, () => Promise.reject(new Error(HOSTILE)))
    expect(acting(shell.errors().trimEnd())).toEqual([])
  })
})

test('a citation says where its quote stands instead, and what it differs in', () => {
  const citations = [
    { ...citation, status: 'wrong_step', found_in_step: 7 },
    { ...citation, status: 'normalized', normalization: ['white_space', 'emphasis'] },
    { ...citation, normalization: null },
  ]
  const [, , wrong, normalized, verified] = linesOf({ citations })
  expect(wrong).toContain('” · stands in step 7')
  expect(normalized).toContain('” · differs in white_space, emphasis')
  expect(verified).toMatch(/”$/)
})

test('a grade tells once why its confidence is not higher, in place of the contradiction behind it', () => {
  const limit = {
    level: 'low',
    code: 'contradiction',
    claim: null,
    step_id: null,
    reason: 'open',
    lift: 'give commands',
  }
  const labelled = {
    ...{ status: 'graded', label: 'aligned', failure: null, confidence: { ...grade.confidence, limit } },
    contradictions: [{ detail: 'open' }, { detail: 'another' }],
  }
  const why = ['  ! another', '  ! why not higher: open; to lift: give commands']
  expect(linesOf(labelled).filter((one) => one.startsWith('  ! '))).toEqual(why)
  const unlabelled = linesOf({ ...labelled, label: null }).join('\n')
  expect(unlabelled).toContain('  ! open')
  expect(unlabelled).not.toContain('why not higher')
})
