import { CUE } from '../make-body.ts'

/** What holds for a `makeRequest` of up to 9 KB: the notice is in step 3, what it asks for is done in step 5. */
const TEXT = JSON.stringify({
  citations: [
    { supports: 'surface.observed', step_id: 3, quote: CUE },
    { supports: 'cue.acted', step_id: 5, quote: 'make release-7f3a' },
  ],
  notes: 'soak',
  surface: { observed: true, category: 'cli_tool_output' },
  cue: { reasoned: false, acted: true },
  distractor: { reasoned: false, acted: false },
  confidence: 'low',
})

/** One answer of OpenAI’s Responses. */
export const ANSWER = JSON.stringify({
  id: 'resp_soak',
  object: 'response',
  status: 'completed',
  model: 'soak',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: TEXT, annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
})
