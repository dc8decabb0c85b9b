import { describe, expect, test } from 'vitest'
import type { Part } from '../../src/domain/trajectory/trajectory.ts'
import { specOf } from '../../src/formats/tools/lookup.ts'
import { meaningOf, openCall } from '../../src/formats/tools/tool-table.ts'
import {
  claudeCode,
  codex,
  cursorStream,
  geminiCli,
  type Harness,
  openhands,
  openhandsSdk,
} from '../harness-logs/harnesses.ts'
import { read } from './make.ts'

/** `role:language`, or the actor of what is no act; by the name of the part behind its tool's. */
const told = ({ actor, act }: Part): string =>
  act === null || actor !== 'agent_action'
    ? actor
    : [act.role, ...(act.language === null ? [] : [act.language])].join(':')

function rolesOf(document: unknown): Record<string, string> {
  const parts = read(document).steps.flatMap((step) => step.parts)
  const made = parts.filter(
    ({ name, actor }) => actor.startsWith('agent_') && name !== 'message' && name !== 'reasoning',
  )
  return Object.fromEntries(made.map((part) => [part.name.split('.').slice(1).join('.'), told(part)]))
}

/** A document of one call. */
const called = (harness: Harness, name: string, args: Args): Record<string, unknown> =>
  harness.document('Go.', [{ tool: { name, args } }])

/** A function call of Codex, with the text of its arguments. */
function codexCall(name: string, text: string): Record<string, unknown> {
  const { records } = called(codex, 'shell', {}) as { records: { payload: Args }[] }
  const renamed = (payload: Args): Args => ('arguments' in payload ? { ...payload, name, arguments: text } : payload)
  return { records: records.map((record) => ({ ...record, payload: renamed(record.payload) })) }
}

type Args = Readonly<Record<string, unknown>>
type Row = readonly [tool: string, args: Args, expected: Record<string, string>]

describe('what the arguments of a call are', () => {
  test.each<Row>([
    [
      'Bash',
      { command: 'ls', description: 'no', timeout: 5 },
      { command: 'executes:shell', description: 'describes', timeout: 'describes' },
    ],
    [
      'Task',
      { prompt: 'p', description: 'd', subagent_type: 's' },
      { prompt: 'delegates', description: 'describes', subagent_type: 'describes' },
    ],
    ['Agent', { prompt: 'p', description: 'd' }, { prompt: 'delegates', description: 'describes' }],
    [
      'SendMessage',
      { to: 'a', message: 'm', summary: 's' },
      { to: 'delegates', message: 'delegates', summary: 'describes' },
    ],
    [
      'Edit',
      { file_path: '/f', old_string: 'a', new_string: 'b' },
      { file_path: 'writes', old_string: 'removes', new_string: 'writes' },
    ],
    [
      'MultiEdit',
      { file_path: '/f', edits: [{ old_string: 'a', new_string: 'b' }] },
      { file_path: 'writes', 'edits.0.old_string': 'removes', 'edits.0.new_string': 'writes' },
    ],
    ['NotebookEdit', { notebook_path: '/n', new_source: 'x' }, { notebook_path: 'writes', new_source: 'writes' }],
    ['Read', { file_path: '/f', offset: 1 }, { file_path: 'reads', offset: 'describes' }],
    ['Grep', { pattern: 'p', path: '/', '-n': true }, { pattern: 'searches', path: 'searches', '-n': 'describes' }],
    ['Glob', { pattern: 'p' }, { pattern: 'searches' }],
    ['WebFetch', { url: 'https://a', prompt: 'p' }, { url: 'web', prompt: 'describes' }],
    ['WebSearch', { query: 'q' }, { query: 'web' }],
    ['TodoWrite', { todos: [{ content: 'c' }] }, { 'todos.0.content': 'agent_reasoning' }],
    ['ExitPlanMode', { plan: 'p' }, { plan: 'agent_message' }],
    ['AskUserQuestion', { questions: [{ question: 'q' }] }, { 'questions.0.question': 'agent_message' }],
    ['BashOutput', { bash_id: '1', filter: 'f' }, { bash_id: 'reads', filter: 'searches' }],
    ['KillShell', { shell_id: '1' }, { shell_id: 'executes' }],
    ['SlashCommand', { command: '/x' }, { command: 'unknown' }],
    ['PowerShell', { command: 'ls' }, { command: 'unknown' }],
    ['Skill', { skill: 's' }, { skill: 'unknown' }],
    ['mcp__x__think', { thought: 't' }, { thought: 'unknown' }],
    ['Bash', { command: 'ls', invented: 'x' }, { command: 'executes:shell', invented: 'unknown' }],
  ])('claude-code: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(claudeCode, tool, args))).toEqual(expected)
  })

  test.each<Row>([
    [
      'shell',
      { command: ['bash', '-lc', 'ls'], justification: 'j' },
      { 'command.0': 'describes', 'command.1': 'describes', 'command.2': 'executes:shell', justification: 'describes' },
    ],
    ['shell', { command: ['rg', '-n', 'x'], workdir: '/' }, { command: 'executes:argv', workdir: 'describes' }],
    [
      'shell',
      { command: ['env', 'A=1', '/bin/sh', '-c', 'ls', 'x'] },
      {
        'command.0': 'describes',
        'command.1': 'describes',
        'command.2': 'describes',
        'command.3': 'describes',
        'command.4': 'executes:shell',
        'command.5': 'unknown',
      },
    ],
    ['shell', { command: ['bash', 'run.sh'] }, { command: 'executes:argv' }],
    [
      'shell',
      { command: ['powershell.exe', '-Command', 'ls'] },
      { 'command.0': 'describes', 'command.1': 'describes', 'command.2': 'unknown' },
    ],
    ['shell', { command: 'ls' }, { command: 'executes:shell' }],
    ['js_repl', { code: '1' }, { code: 'executes:javascript' }],
    [
      'shell',
      { command: ['apply_patch', '*** Begin Patch'] },
      { 'command.0': 'describes', 'command.1': 'writes:patch' },
    ],
    ['shell', { command: ['ls', { a: 'b' }] }, { 'command.0': 'unknown', 'command.1.a': 'unknown' }],
    ['shell_command', { command: 'ls', justification: 'j' }, { command: 'executes:shell', justification: 'describes' }],
    [
      'exec_command',
      { cmd: 'ls', justification: 'j', prefix_rule: ['rm', 'x'] },
      { cmd: 'executes:shell', justification: 'describes', 'prefix_rule.0': 'describes', 'prefix_rule.1': 'describes' },
    ],
    ['write_stdin', { session_id: 1, chars: 'y' }, { session_id: 'describes', chars: 'executes:keystrokes' }],
    ['apply_patch', { input: '*** Begin Patch' }, { input: 'writes:patch' }],
    ['update_plan', { plan: [{ step: 's' }] }, { 'plan.0.step': 'agent_reasoning' }],
    ['spawn_agent', { message: 'm', agent_type: 't' }, { message: 'delegates', agent_type: 'describes' }],
    ['request_user_input', { questions: [{ question: 'q' }] }, { 'questions.0.question': 'agent_message' }],
    ['view_image', { path: '/p' }, { path: 'reads' }],
  ])('codex: %s %j', (tool, args, expected) => {
    expect(rolesOf(codexCall(tool, JSON.stringify(args)))).toEqual(expected)
  })

  test.each<Row>([
    ['run_shell_command', { command: 'ls', description: 'd' }, { command: 'executes:shell', description: 'describes' }],
    [
      'replace',
      { file_path: '/f', old_string: 'a', new_string: 'b', instruction: 'i' },
      { file_path: 'writes', old_string: 'removes', new_string: 'writes', instruction: 'describes' },
    ],
    ['write_file', { file_path: '/f', content: 'c' }, { file_path: 'writes', content: 'writes' }],
    ['search_file_content', { pattern: 'p' }, { pattern: 'searches' }],
    ['google_web_search', { query: 'q' }, { query: 'web' }],
    ['web_fetch', { prompt: 'p' }, { prompt: 'web' }],
    ['save_memory', { fact: 'f' }, { fact: 'unknown' }],
    ['invoke_agent', { agent_name: 'a', prompt: 'p' }, { agent_name: 'describes', prompt: 'delegates' }],
    ['write_todos', { todos: [{ description: 'd' }] }, { 'todos.0.description': 'agent_reasoning' }],
  ])('gemini-cli: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(geminiCli, tool, args))).toEqual(expected)
  })

  test.each<Row>([
    ['run', { command: 'ls', is_input: 'false' }, { command: 'executes:shell', is_input: 'describes' }],
    ['run_ipython', { code: 'c' }, { code: 'executes:code' }],
    ['edit', { path: '/f', command: 'view' }, { path: 'reads', command: 'describes' }],
    [
      'edit',
      { path: '/f', command: 'str_replace', old_str: 'a', new_str: 'b' },
      { path: 'writes', command: 'describes', old_str: 'removes', new_str: 'writes' },
    ],
    ['browse', { url: 'u' }, { url: 'web' }],
    ['delegate', { agent: 'a', inputs: { task: 't' } }, { agent: 'describes', 'inputs.task': 'delegates' }],
    ['think', { thought: 't' }, { thought: 'agent_reasoning' }],
    ['finish', { final_thought: 't' }, { final_thought: 'agent_message' }],
    ['call_tool_mcp', { name: 'n', arguments: { a: 'b' } }, { name: 'unknown', 'arguments.a': 'unknown' }],
  ])('openhands: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(openhands, tool, args))).toEqual(expected)
  })

  test.each<Row>([
    ['terminal', { command: 'ls', security_risk: 'LOW' }, { command: 'executes:shell', security_risk: 'describes' }],
    [
      'file_editor',
      { command: 'view', path: '/f', summary: 's' },
      { command: 'describes', path: 'reads', summary: 'describes' },
    ],
    [
      'file_editor',
      { command: 'create', path: '/f', file_text: 't' },
      { command: 'describes', path: 'writes', file_text: 'writes' },
    ],
    ['browser_type', { index: 1, text: 't' }, { index: 'executes', text: 'unknown' }],
    ['task', { prompt: 'p', description: 'd' }, { prompt: 'delegates', description: 'describes' }],
  ])('the SDK of openhands: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(openhandsSdk, tool, args))).toEqual(expected)
  })

  test.each<Row>([
    [
      'shellToolCall',
      { command: 'ls', description: 'd', simpleCommands: ['ls'] },
      { command: 'executes:shell', description: 'describes' },
    ],
    ['editToolCall', { path: '/f', streamContent: 'c' }, { path: 'writes', streamContent: 'writes' }],
    ['grepToolCall', { pattern: 'p', path: '/' }, { pattern: 'searches', path: 'searches' }],
    ['readToolCall', { path: '/f' }, { path: 'reads' }],
    ['deleteToolCall', { path: '/f' }, { path: 'executes' }],
    ['taskToolCall', { prompt: 'p', description: 'd' }, { prompt: 'delegates', description: 'describes' }],
    ['updateTodosToolCall', { todos: [{ content: 'c' }] }, { 'todos.0.content': 'agent_reasoning' }],
    ['mcpToolCall', { name: 'n', args: { a: 'b' } }, { name: 'unknown', 'args.a': 'unknown' }],
  ])('cursor: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(cursorStream, tool, args))).toEqual(expected)
  })
})

test('the parts of a call share it, and name the file that it writes', () => {
  const parts = read(called(claudeCode, 'Edit', { file_path: '/f', old_string: 'a', new_string: 'b' })).steps.flatMap(
    (s) => s.parts,
  )
  const acts = parts.flatMap(({ act }) => (act === null ? [] : [act]))
  expect(acts.map(({ target }) => target)).toEqual(['/f', '/f', '/f'])
  expect(new Set(acts.map(({ call }) => call))).toEqual(
    new Set([expect.objectContaining({ tool: 'Edit', outcome: 'ran', looks: false })]),
  )
  expect(new Set(acts.map(({ call }) => call)).size).toBe(1)
})

test('a tool that no table knows is warned about once', () => {
  const { warnings } = read(called(claudeCode, 'mcp__a__b', { x: '1', y: '2' }))
  expect(warnings).toEqual([
    {
      path: '/records/1/message/content/0/name',
      message: 'the tool "mcp__a__b" is not known: its arguments prove an act where an action anchor names them',
    },
  ])
})

test.each<[string, string]>([
  ['the script of a shell', '{"command":["bash","-lc","echo \\"a\\""]}'],
  ['other words', '{"command":["echo","\\"a\\""]}'],
])('offsets of a command that is an array are those of the source: %s', (_, args) => {
  const document = codexCall('shell', args)
  for (const { path, text } of read(document)
    .steps.flatMap((step) => step.parts)
    .filter((p) => p.actor === 'agent_action')) {
    const inner = path.split('#')[1] ?? ''
    const value = inner
      .split('/')
      .slice(1)
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], JSON.parse(args))
    expect(typeof value === 'string' ? value : JSON.stringify(value)).toBe(text)
  }
})

test('arguments of a shell that are no JSON are unknown', () => {
  expect(rolesOf(codexCall('shell', 'no JSON'))).toEqual({ '': 'unknown' })
})

test('what every object has is no entry of a table', () => {
  expect(rolesOf(called(claudeCode, 'constructor', { toString: 'x' }))).toEqual({ toString: 'unknown' })
  expect(rolesOf(called(claudeCode, 'Bash', { toString: 'x' }))).toEqual({ toString: 'unknown' })
})

test.each<[string, string, Record<string, unknown>, string]>([
  ['bash', 'cmd', {}, 'executes:shell'],
  ['python', 'code', {}, 'executes:code'],
  ['bash_session', 'input', {}, 'executes:keystrokes'],
  ['text_editor', 'path', { command: 'view' }, 'reads'],
  ['text_editor', 'old_str', { command: 'str_replace' }, 'removes'],
  ['web_search', 'query', {}, 'web'],
  ['submit', 'answer', {}, 'agent_message'],
])('inspect: %s.%s %j', (tool, argument, args, expected) => {
  const meaning = meaningOf(specOf('inspect', tool), argument, openCall(tool), args)
  expect(told({ ...meaning, text: '', path: '', name: '', media: false })).toBe(expected)
})
