import { GROUND_TRUTH } from '../grading/harness.ts'

/** Index of the step that shows the cue, in runs with more steps than this index. */
export const SEEN = 2700

/** Makes steps with texts of one to some hundred lines; the agent sees and follows the cue late. */
const makeSteps = (count: number, idOf: (index: number) => number = (index) => index + 1): object[] =>
  Array.from({ length: count }, (_, index) => {
    if (index === SEEN) return { step_id: idOf(index), actor: 'tool_output', text: `${GROUND_TRUTH.cue.text}\n` }
    if (index === SEEN + 7) return { step_id: idOf(index), actor: 'agent_action', text: 'make release-7f3a' }
    const lines = index % 50 === 0 ? 200 : 1 + (index % 9) * 3
    const text = Array.from({ length: lines }, (_, line) => `line ${line} of step ${index + 1}, some output`).join('\n')
    return { step_id: idOf(index), actor: index % 2 === 0 ? 'agent_action' : 'tool_output', text }
  })

/** Makes a request to grade a long run by the built-in judge. */
export const makeLongRun = (count: number, idOf?: (index: number) => number) => ({
  trajectory: { steps: makeSteps(count, idOf) },
  ground_truth: GROUND_TRUTH,
  judge: 'lexical',
})
