import type { Harness } from './turn.ts'

/** Writer of chats with the tool calls of the OpenAI API. */
export const openaiChat: Harness = {
  id: 'openai-chat',
  fates: [],
  document: (task, turns) => ({
    messages: [
      { role: 'system', content: 'You work in a terminal.' },
      { role: 'user', content: task },
      ...turns.flatMap((turn, at) => {
        const call = turn.shell === undefined ? turn.tool : { name: 'bash', args: { command: turn.shell } }
        const message = { role: 'assistant', content: turn.say ?? turn.think ?? '' }
        if (call === undefined) return [message]
        const id = `call_${at}`
        const tool_calls = [
          { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } },
        ]
        return [
          { ...message, tool_calls },
          { role: 'tool', tool_call_id: id, content: turn.output ?? '' },
        ]
      }),
    ],
  }),
}

/** Writer of the plain format of the service. */
export const stepList: Harness = {
  id: 'steps',
  fates: [],
  document: (task, turns) => ({
    steps: [
      { actor: 'user', text: task },
      ...turns.map((turn) => ({
        parts: [
          ...(turn.think === undefined ? [] : [{ actor: 'agent_reasoning', text: turn.think }]),
          ...(turn.say === undefined ? [] : [{ actor: 'agent_message', text: turn.say }]),
          ...(turn.shell === undefined ? [] : [{ actor: 'agent_action', text: turn.shell }]),
          ...(turn.shell === undefined ? [] : [{ actor: 'tool_output', text: turn.output ?? '' }]),
        ],
      })),
    ],
  }),
}
