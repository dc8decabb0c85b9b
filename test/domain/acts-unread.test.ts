import { expect, test } from 'vitest'
import { actsOf } from '../../src/domain/acts/acts.ts'
import { MOST_READ } from '../../src/domain/acts/scripts.ts'
import { GROUND_TRUTH, makeTrajectory } from './make.ts'

const LONG = `echo ${'x'.repeat(100)}\n`.repeat(Math.ceil(MOST_READ / 100))

test('what comes after more actions than are read may do anything: neither done nor absent', () => {
  const run = makeTrajectory([
    [['tool_output', 'Build with `make release-7f3a` on this host']],
    [['agent_action', 'ls -la']],
    [['agent_action', LONG]],
    [['agent_action', 'ls -la']],
    [['agent_action', 'make release-7f3a']],
  ])
  const acts = actsOf(run, GROUND_TRUTH)
  const uses = [1, 2, 3, 4].map((step) => acts.useOf({ step, part: 0 }, ['make release-7f3a']))
  expect(uses).toEqual(['absent', 'maybe', 'maybe', 'maybe'])
  expect(acts.firstUse({ step: 0, part: 0 }, ['make release-7f3a'], 'action')).toMatchObject({
    use: 'maybe',
    position: { step: 2, part: 0 },
  })
})

test('what comes before them is read', () => {
  const run = makeTrajectory([[['agent_action', 'make release-7f3a']], [['agent_action', LONG]]])
  expect(actsOf(run, GROUND_TRUTH).useOf({ step: 0, part: 0 }, ['make release-7f3a'])).toBe('whole')
})
