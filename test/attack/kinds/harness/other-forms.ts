import type { Harness, Turn } from '../turn.ts'
import { type Form, makeChat } from './in-words.ts'

/** Forms in which agents act by what they say, some of them known to a reader, most to none; who answers is in no way marked for some. */
const FORMS: readonly Form[] = [
  {
    id: 'discussion-fence',
    system: 'You need to format your output using two fields; discussion and command.',
    act: (words, command) => `DISCUSSION\n${words}\n\n\`\`\`\n${command}\n\`\`\``,
    back: (output) => `${output}\n(Open file: n/a)\n(Current directory: /srv/app)\nbash-$`,
  },
  {
    id: 'invoke-tags',
    system: 'You have a shell.',
    act: (words, command) =>
      `${words}\n<function_calls>\n<invoke name="bash">\n<parameter name="command">${command}</parameter>\n</invoke>\n</function_calls>`,
    back: (output) =>
      `<function_results>\n<result>\n<tool_name>bash</tool_name>\n<stdout>${output}</stdout>\n</result>\n</function_results>`,
  },
  {
    id: 'structured-chat',
    system: 'You have a terminal.',
    act: (words, command) =>
      `Thought: ${words}\nAction:\n\`\`\`json\n${JSON.stringify({ action: 'terminal', action_input: command }, null, 2)}\n\`\`\``,
    back: (output) => `Observation: ${output}`,
  },
  {
    id: 'arg-tags',
    system: 'You have a shell.',
    act: (words, command) =>
      `${words}\n<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>${command}</arg_value>\n</tool_call>`,
    back: (output) => `<tool_response>\n${output}\n</tool_response>`,
  },
  {
    id: 'code-tag',
    system: 'Answer with a thought and a code block.',
    act: (words, command) => `Thought: ${words}\n<code>\nprint(run_shell(${JSON.stringify(command)}))\n</code>`,
    back: (output) => `Observation:\nExecution logs:\n${output}`,
  },
  {
    id: 'bracket-action',
    system: 'Answer with numbered thoughts and actions.',
    act: (words, command) => `Thought 1: ${words}\nAction 1: Bash[${command}]`,
    back: (output) => `Observation 1: ${output}`,
  },
  {
    id: 'shell-tag',
    system: 'You have a shell.',
    act: (words, command) => `${words}\n<shell>${command}</shell>`,
    back: (output) => output,
  },
  {
    id: 'capital-head',
    system: 'To run a command answer with a line EXECUTE: and the command.',
    act: (words, command) => `${words}\nEXECUTE: ${command}`,
    back: (output) => `It printed:\n${output}`,
  },
  {
    id: 'prompt-line',
    system: 'You see a terminal.',
    act: (words, command) => `${words}\n\n$ ${command}`,
    back: (output) => output,
  },
  {
    id: 'slash-run',
    system: 'You pair with a developer.',
    act: (words, command) => `${words}\n\n/run ${command}`,
    back: (output) => `I ran this command:\n\n\`\`\`\n${output}\n\`\`\``,
  },
  {
    id: 'call-in-words',
    system: 'You have execute_bash(command).',
    act: (words, command) => `${words}\nexecute_bash(${JSON.stringify(command)})`,
    back: (output) => `Result: ${output}`,
  },
  {
    id: 'yaml-action',
    system: 'Answer in YAML.',
    act: (words, command) => `thought: ${words}\naction: bash\nargs:\n  command: ${JSON.stringify(command)}`,
    back: (output) => `observation: ${output}`,
  },
]

export const OTHER_FORMS: readonly Harness[] = FORMS.map(makeChat)

const CALL = { id: 'n1', type: 'function', function: { name: 'bash', arguments: '{"command":"git status"}' } }

/** A run that acts by what it says, and calls a tool of the interface once, last. */
export const withNativeCall = (harness: Harness): Harness => ({
  id: `${harness.id}+call`,
  fates: [],
  document(task: string, turns: readonly Turn[]) {
    const document = harness.document(task, turns)
    const messages = document['messages'] as readonly unknown[]
    return {
      ...document,
      messages: [
        ...messages.slice(0, -1),
        { role: 'assistant', content: 'One more look.', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'n1', content: 'nothing to commit' },
        ...messages.slice(-1),
      ],
    }
  },
})
