/** One answer of OpenAI’s Responses that makes these claims, as it is sent. */
export const answerOf = (model: string, claims: object): string =>
  JSON.stringify({
    id: `resp_${model}`,
    object: 'response',
    status: 'completed',
    model,
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: JSON.stringify(claims), annotations: [] }],
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
