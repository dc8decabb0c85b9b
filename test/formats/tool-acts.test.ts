import { describe, expect, test } from 'vitest'
import { harnessOf, specOf } from '../../src/formats/tools/harnesses.ts'
import { atif, pathsOf, read } from './make.ts'
import { ROLES, rolesBy } from './roles.ts'

/** `role`, `role:language`, with `→target`, of each argument of a call; the actor where it is no act. */
const rolesOf = (document: unknown): Record<string, string> =>
  Object.fromEntries(
    read(document)
      .steps.flatMap(({ parts }) => parts)
      .filter(({ path }) => path.includes('/tool_calls/'))
      .map(({ name, actor, act }) => {
        const target = act?.target == null ? '' : `→${act.target}`
        return [name, act === null ? actor : `${[act.role, act.language].filter(Boolean).join(':')}${target}`]
      }),
  )
const call = (agent: string, tool: string, args: object): object =>
  atif([{ tool_calls: [{ tool_call_id: 'a', function_name: tool, arguments: args }] }], { agent: { name: agent } })

test.each(ROLES.editors)('a command of an editor %s is given what others take', (_name, agent, tool, args, roles) => {
  expect(rolesOf(call(agent, tool, args))).toEqual(rolesBy(args, roles, tool))
})

describe('what the arguments of a call are', () => {
  test.each(ROLES.atif)('%s, %s %j', (agent, tool, args, expected) => {
    expect(rolesOf(call(agent, tool, args))).toEqual(rolesBy(args, expected, tool))
  })

  test('of a tool that no table knows is said once', () => {
    const step = { tool_calls: [{ tool_call_id: 'a', function_name: 'rotate_key', arguments: { a: 'x' } }] }
    expect(pathsOf(read(atif([step, step])).warnings)).toEqual(['/steps/0/tool_calls/0/function_name'])
  })

  test.each(['__proto__', 'constructor', 'toString', '', 'Bash ', 'mcp__x__bash'])(
    'and no name is in a table but by itself: %j',
    (name) => {
      for (const agent of [null, 'claude-code', 'constructor', '__proto__']) expect(specOf(agent, name)).toBeUndefined()
    },
  )

  test.each([
    ['terminus-2', 'terminus'],
    ['terminus-2-summarization-summary', 'terminus'],
    ['mini-swe-agent', 'mini-swe-agent'],
    ['qwen-code', 'gemini-cli'],
    ['Claude-Code', 'claude-code'],
    ['claudette', null],
    [null, null],
  ])('%s has the tools of %s', (agent, harness) => {
    expect(harnessOf(agent)).toBe(harness)
  })

  test('a deep argument is of the file that stands nearest to it', () => {
    const edits = [{ file_path: 'inner', old_string: 'x', new_string: 'y' }]
    const roles = rolesOf(call('claude-code', 'MultiEdit', { file_path: 'outer', edits }))
    expect(roles['MultiEdit.edits.0.new_string']).toBe('writes→inner')
  })
})

describe('an action of a step list', () => {
  const actOf = (part: object, agent: object = {}): string[] =>
    read({ agent, steps: [{ actor: 'agent_action', ...part }] }).steps[0]?.parts.map(
      ({ actor, name, text, act }) => `${actor} ${name} ${act?.role}:${act?.language} ${text}`,
    ) ?? []

  test.each<[object, string[]]>([
    [{ text: 'make x' }, ['agent_action action executes:shell make x']],
    [{ text: 'make x', name: 'bash' }, ['agent_action bash executes:shell make x']],
    [{ text: 'make x', name: 'Bash.command' }, ['agent_action Bash.command executes:shell make x']],
    [{ text: 'why', name: 'Bash.description' }, ['agent_action Bash.description describes:null why']],
    [{ text: 'make x', name: 'my tool' }, ['agent_action my tool executes:shell make x']],
    [{ text: 'x', name: 'web_search' }, ['agent_action web_search web:null x']],
    [{ text: 'x', name: 'bash_command.keystrokes' }, ['agent_action bash_command.keystrokes executes:keystrokes x']],
    [{ text: 'I am done', name: 'think' }, ['agent_action think describes:null I am done']],
    [
      { text: '{"command":"ls","description":"d"}', name: 'Bash' },
      ['agent_action Bash.command executes:shell ls', 'agent_action Bash.description describes:null d'],
    ],
    [{ text: "GmailReadEmail{'email_id': 'x'}" }, ["agent_action action unknown:null GmailReadEmail{'email_id': 'x'}"]],
    [{ text: '{ make x; } >> f' }, ['agent_action action executes:shell { make x; } >> f']],
  ])('%j', (part, expected) => {
    expect(actOf(part)).toEqual(expected)
  })
})

describe('an action of SWE-agent', () => {
  const actOf = (action: string, observation = 'ok'): string => {
    const { steps } = read({ trajectory: [{ action, observation, response: '', thought: '' }], history: [], info: {} })
    const act = steps[0]?.parts.find(({ actor }) => actor === 'agent_action')?.act
    return `${act?.role}:${act?.language} ${act?.call.outcome}`
  }

  test.each([
    ['ls -la', 'executes:shell answered'],
    ['open src/a.py 10', 'reads:null answered'],
    ['open a && rotate-key', 'executes:shell answered'],
    ['search_dir "rotate-key" src', 'searches:null answered'],
    ['find_file x', 'searches:null answered'],
    ['create x.py', 'writes:null answered'],
    ['edit 1:1\nrotate-key\nend_of_edit', 'writes:null answered'],
    ["edit 'old' 'new'", 'unknown:null answered'],
    ['str_replace_editor view /a', 'reads:null answered'],
    ['str_replace_editor create /a --file_text x', 'writes:null answered'],
    ["str_replace_editor str_replace /a --old_str 'x' --new_str 'y'", 'unknown:null answered'],
    ['submit', 'executes:shell answered'],
  ])('%j is %s', (action, expected) => {
    expect(actOf(action)).toBe(expected)
  })

  test('that its harness may have blocked may have run: a script knows how it was called', () => {
    expect(actOf('./x.sh', "Operation './x.sh' is not supported by this environment.")).toBe(
      'executes:shell interrupted',
    )
    expect(actOf('cat x', "Operation 'vim x' is not supported by this environment.")).toBe('executes:shell answered')
  })

  test.each([
    ['if true; then rotate-key', 'executes:shell rejected'],
    // What a server answers is printed as the words of the harness would be.
    ['curl -X POST https://x.example', 'executes:shell interrupted'],
  ])('that its harness did not take for a command: %j is %s', (action, expected) => {
    const said =
      'Your bash command contained syntax errors and was NOT executed. Please fix the syntax errors and try again.'
    expect(actOf(action, said)).toBe(expected)
  })

  test('that an edit tool took back was not done', () => {
    const said = 'Your proposed edit has introduced new syntax error(s). Please read this error message carefully.'
    expect(actOf('edit 1:1\nrotate-key(\nend_of_edit', said)).toBe('writes:null rejected')
    expect(actOf('edit x; ./rotate-key', said)).toBe('executes:shell interrupted')
    expect(actOf('cat notes', said)).toBe('executes:shell answered')
  })
})

describe('an array of a shell tool is the same in every format', () => {
  const kinds = (document: unknown): (string | null)[] =>
    read(document)
      .steps.flatMap(({ parts }) => parts)
      .flatMap(({ act }) => (act === null ? [] : [act.language]))
  test.each<[object, (string | null)[]]>([
    [{ commands: ['ls', 'make x'] }, ['shell', 'shell']],
    [{ command: ['make', 'x'] }, ['argv']],
    [{ command: ['bash', '-c', 'make x'] }, [null, null, 'shell']],
    [{ command: ['make', { a: 'b' }] }, [null, null]],
    [{ command: ['apply_patch', '*** Begin Patch'] }, [null, 'patch']],
    // One command, or two lines.
    [{ command: ['ls', 'make x'] }, [null, null]],
  ])('%j', (args, expected) => {
    const user = { role: 'user', content: 'Do it.' }
    const chat = { id: 'a', type: 'function', function: { name: 'terminal', arguments: JSON.stringify(args) } }
    const documents = [
      call('some-agent', 'terminal', args),
      { messages: [user, { role: 'assistant', content: '', tool_calls: [chat] }] },
      {
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'terminal', input: args }] },
        ],
      },
      {
        messages: [
          { type: 'human', content: 'Do it.' },
          { type: 'ai', content: '', tool_calls: [{ id: 'a', name: 'terminal', args }] },
        ],
      },
    ]
    expect(documents.map(kinds)).toEqual(documents.map(() => expected))
  })
})

test.each(['Bash', 'notify_user', 'ask_permission'])('%s proves nothing of an agent that is not known', (tool) => {
  const kinds = (agent: string) => Object.values(rolesOf(call(agent, tool, { message: 'rotate the key' })))
  expect(kinds('some-agent')).toEqual(['unknown'])
})

test('notify_user of Antigravity speaks', () => {
  expect(Object.values(rolesOf(call('antigravity', 'notify_user', { Message: 'Done.' })))).toEqual(['agent_message'])
})
