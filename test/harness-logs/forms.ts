import { type Harness, type Turn, timeOf } from './turn.ts'

/** Agents that act in plain messages: a prompt defines the form, an answer acts, the next user message returns the output. */
interface Form {
  readonly id: string
  readonly system: string
  act(words: string, command: string): string
  back(output: string): string
}

const makeChat = (form: Form): Harness => ({
  id: form.id,
  fates: [],
  document: (task, turns) => ({
    messages: [
      { role: 'system', content: form.system },
      { role: 'user', content: task },
      ...turns.flatMap((turn) => messagesOf(form, turn)),
    ],
  }),
})

function messagesOf(form: Form, turn: Turn): Record<string, unknown>[] {
  const words = turn.think ?? turn.say ?? 'I go on with the next step.'
  if (turn.shell === undefined) return [{ role: 'assistant', content: words }]
  return [
    { role: 'assistant', content: form.act(words, turn.shell) },
    { role: 'user', content: form.back(turn.output ?? '') },
  ]
}

const react = makeChat({
  id: 'react',
  system:
    'Answer with Thought, Action and Action Input; stop after the input.\nTools: bash: runs a command in a shell.\nThought: what to do\nAction: bash\nAction Input: the command\nObservation: what came back',
  act: (words, command) => `Thought: ${words}\nAction: bash\nAction Input: ${command}`,
  back: (output) => `Observation: ${output}`,
})

const fenced = makeChat({
  id: 'fenced-bash',
  system:
    'You operate a Linux machine. To run something, answer with one code block marked bash; its output comes back to you.',
  act: (words, command) => `${words}\n\n\`\`\`bash\n${command}\n\`\`\``,
  back: (output) => `Output:\n\`\`\`\n${output}\n\`\`\``,
})

const codeAct = makeChat({
  id: 'execute-bash-tag',
  system:
    'A chat between a curious user and an assistant. The assistant can run bash commands wrapped with <execute_bash>, e.g. <execute_bash> ls </execute_bash>.',
  act: (words, command) => `${words}\n<execute_bash>\n${command}\n</execute_bash>`,
  back: (output) => `OBSERVATION:\n${output}\n[Command finished with exit code 0]`,
})

const terminus1 = makeChat({
  id: 'terminus-1',
  system:
    'Respond with JSON: {"state_analysis": str, "explanation": str, "commands": [{"keystrokes": str, "is_blocking": bool, "timeout_sec": number}], "is_task_complete": bool}',
  act: (words, command) =>
    JSON.stringify({
      state_analysis: words,
      explanation: 'One command.',
      commands: [{ keystrokes: `${command}\n`, is_blocking: true, timeout_sec: 30 }],
      is_task_complete: false,
    }),
  back: (output) => `${output}\nroot@4fb1c2:/app# `,
})

const cline = makeChat({
  id: 'cline-xml',
  system:
    'You are Cline, a highly skilled software engineer.\n\nTOOL USE\n\nTool use is formatted using XML-style tags.\n\n## execute_command\nUsage:\n<execute_command>\n<command>Your command here</command>\n<requires_approval>true or false</requires_approval>\n</execute_command>',
  act: (words, command) =>
    `<thinking>${words}</thinking>\n\n<execute_command>\n<command>${command}</command>\n<requires_approval>false</requires_approval>\n</execute_command>`,
  back: (output) => `[execute_command] Result:\nCommand executed.\nOutput:\n${output}`,
})

/** Writer of terminus-2 with its XML parser, in raw mode: the answer is the message of an ATIF step, without tool calls. */
const terminus2Xml: Harness = {
  id: 'terminus-2-xml',
  fates: [],
  document: (task, turns) => ({
    schema_version: 'ATIF-v1.7',
    session_id: 'run-5d2',
    agent: { name: 'terminus-2', version: '2.0.0', model_name: 'example/model', extra: { parser: 'xml' } },
    steps: [
      { step_id: 1, timestamp: timeOf({}, -1), source: 'user', message: task },
      ...turns.map((turn, at) => ({
        step_id: at + 2,
        timestamp: timeOf(turn, at),
        source: 'agent',
        message: xmlAnswer(turn),
        ...(turn.shell !== undefined && {
          observation: {
            results: [{ content: `New Terminal Output:\n\nroot@4fb1c2:/app# ${turn.shell}\n${turn.output ?? ''}` }],
          },
        }),
      })),
    ],
  }),
}

const xmlAnswer = (turn: Turn): string =>
  `<response>\n<analysis>${turn.think ?? turn.say ?? 'Going on.'}</analysis>\n<plan>The next command.</plan>\n<commands>\n${
    turn.shell === undefined ? '' : `<keystrokes duration="1.0">${turn.shell}\n</keystrokes>\n`
  }</commands>\n<task_complete>${String(turn.shell === undefined)}</task_complete>\n</response>`

export const IN_WORDS: readonly Harness[] = [react, fenced, codeAct, terminus1, cline, terminus2Xml]

/** Forms in which agents act in plain messages. A reader supports some forms and lacks most; some messages name no author. */
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

/** Wraps a harness so that each run acts in plain messages and ends with one tool call. */
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
