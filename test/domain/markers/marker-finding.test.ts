import { expect, test } from 'vitest'
import { removedIn } from '../../../src/domain/markers/check-run.ts'

test.each([
  [undefined, {}, { cue: null, distractor: null }],
  ['terminal-bench', {}, { cue: 'in_baseline', distractor: 'in_baseline' }],
  ['cue-removed', {}, { cue: 'in_ablation', distractor: null }],
  ['distractor-removed', {}, { cue: null, distractor: 'in_ablation' }],
  ['tab', { cue: undefined }, { cue: 'in_ablation', distractor: null }],
])('variant %s with %j lacks %j', (variant, less, removed) => {
  const ofTask = { cue: 'c', distractor: 'd' }
  expect(removedIn(variant, { own: { ...ofTask, ...less }, ofTask })).toEqual(removed)
})
