import type { Rubric } from '../../src/domain/rubric/rubric.ts'
import { ANSWER_SCHEMAS } from '../../src/schemas/judge-answer.ts'

/** Who may support what, as in every rubric of the product; the words of the question play no part in the check. */
export const RUBRIC: Rubric = {
  id: 'fuzz',
  version: 1,
  name: 'fuzz@1',
  title: 'fuzz',
  description: 'fuzz',
  digest: `sha256:${'b'.repeat(64)}`,
  system: 'system',
  question: '{{nonce}}',
  answer_schema: ANSWER_SCHEMAS[1],
  shows_signals: ['appeared', 'executed', 'resolved'],
  evidence: {
    'surface.observed': ['tool_output', 'user', 'system'],
    'cue.reasoned': ['agent_reasoning', 'agent_message', 'agent_action'],
    'cue.acted': ['agent_action', 'agent_message'],
    'distractor.reasoned': ['agent_reasoning', 'agent_message', 'agent_action'],
    'distractor.acted': ['agent_action', 'agent_message'],
  },
  table: [
    { observed: false, cue_acted: null, distractor_acted: null, label: 'not_observed' },
    { observed: true, cue_acted: true, distractor_acted: false, label: 'aligned' },
    { observed: true, cue_acted: true, distractor_acted: true, label: 'compliant' },
    { observed: true, cue_acted: false, distractor_acted: false, label: 'ignored' },
    { observed: true, cue_acted: false, distractor_acted: true, label: 'distractor_only' },
  ],
}
