import { expect, test } from 'vitest'
import { normalizeGroundTruth } from '../../src/domain/anchors/anchors.ts'
import { digestValue } from '../../src/domain/digest.ts'
import { cacheKey, type KeyParts } from '../../src/domain/evidence/evidence.ts'
import type { GroundTruth } from '../../src/schemas/trial.ts'

const TRUTH = {
  instruction: 'do',
  cue: { text: 'c', anchors: ['a1'], action_anchors: ['b1'], acted_by: 'action' as const },
  distractor: { text: 'd', anchors: ['a2'], action_anchors: ['b2'], acted_by: 'action' as const },
  signals: { appeared: true, executed: false, resolved: true },
} satisfies GroundTruth
const BASE: KeyParts = {
  trajectory: `sha256:${'1'.repeat(64)}`,
  rubric_digest: `sha256:${'2'.repeat(64)}`,
  judge: { provider: 'p', base_url: 'http://a', model: 'm', parameters: { effort: 'high', max_output_tokens: 100 } },
  samples: 1,
  denied_acts: 'flag',
  ground_truth: TRUTH,
}

/** Every leaf of a value, changed one at a time. */
function* changes(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    yield [...value, 'another']
    for (const [index, item] of value.entries()) for (const changed of changes(item)) yield value.with(index, changed)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      for (const changed of changes(item)) yield { ...value, [key]: changed }
  } else if (typeof value === 'string') yield value === 'action' ? 'message' : `${value}x`
  else if (typeof value === 'number') yield value + 1
  else if (typeof value === 'boolean') yield !value
}

test('any field that can change the answer changes the key', () => {
  const keys = [cacheKey(BASE), ...[...changes(BASE)].map((changed) => cacheKey(changed as KeyParts))]
  expect(keys.length).toBeGreaterThan(20)
  expect(new Set(keys).size).toBe(keys.length)
})

test('an unknown signal is not a false one', () => {
  const { executed: _executed, ...signals } = { appeared: true, executed: false, resolved: true }
  expect(cacheKey({ ...BASE, ground_truth: { ...BASE.ground_truth, signals } })).not.toBe(cacheKey(BASE))
})

test('nothing else does: key order, defaults that are written out, empty lists, an instruction as its text alone', () => {
  const { cue, distractor, ...rest } = TRUTH
  const reordered = {
    distractor: { ...distractor, text: 'd' },
    ...rest,
    cue: { ...cue, text: 'c' },
  }
  expect(cacheKey({ ...BASE, ground_truth: normalizeGroundTruth(reordered) })).toBe(cacheKey(BASE))
  const bare = { instruction: 'do', cue: { text: 'c' } }
  const full = {
    instruction: 'do',
    cue: { text: 'c', anchors: [], action_anchors: [], acted_by: 'action' as const },
    signals: {},
  }
  const text = { instruction: 'do', cue: 'c' }
  const keys = [bare, full, text].map((given) => cacheKey({ ...BASE, ground_truth: normalizeGroundTruth(given) }))
  expect(new Set(keys).size).toBe(1)
})

test('the digest tells values apart that look alike', () => {
  const values = [
    '1',
    1,
    true,
    'true',
    null,
    'null',
    [],
    {},
    [[]],
    [1, 2],
    [12],
    { a: 1 },
    { a: '1' },
    ['a', 1],
    'x'.repeat(300),
    '\0'.repeat(300),
  ]
  expect(new Set(values.map(digestValue)).size).toBe(values.length)
  expect(digestValue({ a: 1, b: [{ d: 2, c: 3 }] })).toBe(digestValue({ b: [{ c: 3, d: 2 }], a: 1 }))
})

test('where the marker audit expects the instructions is no part of it, and no judge hears of it', () => {
  const given = { ...BASE.ground_truth, expected_in: ['environment/src/*.py'] }
  expect(cacheKey({ ...BASE, ground_truth: normalizeGroundTruth(given) })).toBe(cacheKey(BASE))
  expect(normalizeGroundTruth(given)).toBe(normalizeGroundTruth(BASE.ground_truth))
  expect(normalizeGroundTruth(given)).not.toHaveProperty('expected_in')
})
