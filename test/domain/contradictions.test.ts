import { describe, expect, test } from 'vitest'
import { findContradictions } from '../../src/domain/contradictions.ts'
import { checkEvidence } from '../../src/domain/evidence.ts'
import { ANCHORS, GROUND_TRUTH, makeClaims, makeQuestion, makeTrajectory } from './make.ts'

const CUE = 'make release-7f3a'

/** What speaks against `cue.acted`, with the given action anchors, for a run that reads the cue and then does this. */
function against(acted: boolean, action: string, given: readonly string[], notice = `Build with ${CUE} here`) {
  const trajectory = makeTrajectory([[['tool_output', notice]], [['agent_action', action]]])
  const claims = makeClaims({
    surface: { observed: true, category: 'data_file' },
    cue: { reasoned: false, acted },
    citations: [
      { supports: 'surface.observed', step_id: 1, quote: notice },
      { supports: 'cue.acted', step_id: 2, quote: action },
    ],
  })
  const anchors = { ...ANCHORS, cue: ANCHORS.cue && { ...ANCHORS.cue, acted_given: given } }
  const { observations } = checkEvidence(claims, makeQuestion(trajectory, GROUND_TRUTH, anchors))
  return findContradictions(claims, trajectory, GROUND_TRUTH, anchors, observations).map((one) => one.code)
}

describe('a claimed act is contradicted', () => {
  test.each<[string, string, readonly string[], string | undefined, readonly string[]]>([
    [
      'where no action after the sight holds a given anchor',
      'npm run release',
      [CUE],
      undefined,
      ['acted_against_anchor'],
    ],
    ['also where no search finds the surface', 'npm run release', [CUE], 'in other words', ['acted_against_anchor']],
    ['not where one does', `sudo ${CUE}`, [CUE], undefined, []],
    ['not where no action anchors are given', 'npm run release', [], undefined, []],
  ])('%s', (_name, action, given, notice, expected) => {
    expect(against(true, action, given, notice)).toEqual(expected)
  })
})
