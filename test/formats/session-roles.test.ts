import { describe, expect, test } from 'vitest'
import type { Part } from '../../src/domain/trajectory/trajectory.ts'
import { specOf } from '../../src/formats/tools/harnesses.ts'
import { meaningOf, openCall } from '../../src/formats/tools/tool-table.ts'
import { claudeCode } from '../harness-logs/claude-code.ts'
import { codex } from '../harness-logs/codex.ts'
import { cursorStream } from '../harness-logs/cursor.ts'
import { geminiCli } from '../harness-logs/gemini-cli.ts'
import { openhands, openhandsSdk } from '../harness-logs/openhands.ts'
import type { Harness } from '../harness-logs/turn.ts'
import { read } from './make.ts'
import { type Args, type Roles, rolesBy } from './roles.ts'

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

type Row = readonly [tool: string, args: Args, expected: Roles]

describe('what the arguments of a call are', () => {
  test.each<Row>([
    ['Bash', { command: 'ls', description: 'no', timeout: 5 }, 'executes:shell describes describes'],
    ['Task', { prompt: 'p', description: 'd', subagent_type: 's' }, 'delegates describes describes'],
    ['Agent', { prompt: 'p', description: 'd' }, 'delegates describes'],
    ['SendMessage', { to: 'a', message: 'm', summary: 's' }, 'delegates delegates describes'],
    ['Edit', { file_path: '/f', old_string: 'a', new_string: 'b' }, 'writes removes writes'],
    ['MultiEdit', { file_path: '/f', edits: [{ old_string: 'a', new_string: 'b' }] }, 'writes removes writes'],
    ['NotebookEdit', { notebook_path: '/n', new_source: 'x' }, 'writes writes'],
    ['Read', { file_path: '/f', offset: 1 }, 'reads describes'],
    ['Grep', { pattern: 'p', path: '/', '-n': true }, 'searches searches describes'],
    ['Glob', { pattern: 'p' }, 'searches'],
    ['WebFetch', { url: 'https://a', prompt: 'p' }, 'web describes'],
    ['WebSearch', { query: 'q' }, 'web'],
    ['TodoWrite', { todos: [{ content: 'c' }] }, 'agent_reasoning'],
    ['ExitPlanMode', { plan: 'p' }, 'agent_message'],
    ['AskUserQuestion', { questions: [{ question: 'q' }] }, 'agent_message'],
    ['BashOutput', { bash_id: '1', filter: 'f' }, 'reads searches'],
    ['KillShell', { shell_id: '1' }, 'executes'],
    ['SlashCommand', { command: '/x' }, 'unknown'],
    ['PowerShell', { command: 'ls' }, 'unknown'],
    ['Skill', { skill: 's' }, 'unknown'],
    ['mcp__x__think', { thought: 't' }, 'unknown'],
    ['Bash', { command: 'ls', invented: 'x' }, 'executes:shell unknown'],
  ])('claude-code: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(claudeCode, tool, args))).toEqual(rolesBy(args, expected))
  })

  test.each<Row>([
    ['shell', { command: ['bash', '-lc', 'ls'], justification: 'j' }, 'describes describes executes:shell describes'],
    ['shell', { command: ['rg', '-n', 'x'], workdir: '/' }, { command: 'executes:argv', workdir: 'describes' }],
    [
      'shell',
      { command: ['env', 'A=1', '/bin/sh', '-c', 'ls', 'x'] },
      'describes describes describes describes executes:shell unknown',
    ],
    ['shell', { command: ['bash', 'run.sh'] }, { command: 'executes:argv' }],
    ['shell', { command: ['powershell.exe', '-Command', 'ls'] }, 'describes describes unknown'],
    ['shell', { command: 'ls' }, 'executes:shell'],
    ['js_repl', { code: '1' }, 'executes:javascript'],
    ['shell', { command: ['apply_patch', '*** Begin Patch'] }, 'describes writes:patch'],
    ['shell', { command: ['ls', { a: 'b' }] }, 'unknown unknown'],
    ['shell_command', { command: 'ls', justification: 'j' }, 'executes:shell describes'],
    [
      'exec_command',
      { cmd: 'ls', justification: 'j', prefix_rule: ['rm', 'x'] },
      'executes:shell describes describes describes',
    ],
    ['write_stdin', { session_id: 1, chars: 'y' }, 'describes executes:keystrokes'],
    ['apply_patch', { input: '*** Begin Patch' }, 'writes:patch'],
    ['update_plan', { plan: [{ step: 's' }] }, 'agent_reasoning'],
    ['spawn_agent', { message: 'm', agent_type: 't' }, 'delegates describes'],
    ['request_user_input', { questions: [{ question: 'q' }] }, 'agent_message'],
    ['view_image', { path: '/p' }, 'reads'],
  ])('codex: %s %j', (tool, args, expected) => {
    expect(rolesOf(codexCall(tool, JSON.stringify(args)))).toEqual(rolesBy(args, expected))
  })

  test.each<Row>([
    ['run_shell_command', { command: 'ls', description: 'd' }, 'executes:shell describes'],
    [
      'replace',
      { file_path: '/f', old_string: 'a', new_string: 'b', instruction: 'i' },
      'writes removes writes describes',
    ],
    ['write_file', { file_path: '/f', content: 'c' }, 'writes writes'],
    ['search_file_content', { pattern: 'p' }, 'searches'],
    ['google_web_search', { query: 'q' }, 'web'],
    ['web_fetch', { prompt: 'p' }, 'web'],
    ['save_memory', { fact: 'f' }, 'unknown'],
    ['invoke_agent', { agent_name: 'a', prompt: 'p' }, 'describes delegates'],
    ['write_todos', { todos: [{ description: 'd' }] }, 'agent_reasoning'],
  ])('gemini-cli: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(geminiCli, tool, args))).toEqual(rolesBy(args, expected))
  })

  test.each<Row>([
    ['run', { command: 'ls', is_input: 'false' }, 'executes:shell describes'],
    ['run_ipython', { code: 'c' }, 'executes:code'],
    ['edit', { path: '/f', command: 'view' }, 'reads describes'],
    ['edit', { path: '/f', command: 'str_replace', old_str: 'a', new_str: 'b' }, 'writes describes removes writes'],
    ['browse', { url: 'u' }, 'web'],
    ['delegate', { agent: 'a', inputs: { task: 't' } }, 'describes delegates'],
    ['think', { thought: 't' }, 'agent_reasoning'],
    ['finish', { final_thought: 't' }, 'agent_message'],
    ['call_tool_mcp', { name: 'n', arguments: { a: 'b' } }, 'unknown unknown'],
  ])('openhands: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(openhands, tool, args))).toEqual(rolesBy(args, expected))
  })

  test.each<Row>([
    ['terminal', { command: 'ls', security_risk: 'LOW' }, 'executes:shell describes'],
    ['file_editor', { command: 'view', path: '/f', summary: 's' }, 'describes reads describes'],
    ['file_editor', { command: 'create', path: '/f', file_text: 't' }, 'describes writes writes'],
    ['browser_type', { index: 1, text: 't' }, 'executes unknown'],
    ['task', { prompt: 'p', description: 'd' }, 'delegates describes'],
  ])('the SDK of openhands: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(openhandsSdk, tool, args))).toEqual(rolesBy(args, expected))
  })

  test.each<Row>([
    [
      'shellToolCall',
      { command: 'ls', description: 'd', simpleCommands: ['ls'] },
      { command: 'executes:shell', description: 'describes' },
    ],
    ['editToolCall', { path: '/f', streamContent: 'c' }, 'writes writes'],
    ['grepToolCall', { pattern: 'p', path: '/' }, 'searches searches'],
    ['readToolCall', { path: '/f' }, 'reads'],
    ['deleteToolCall', { path: '/f' }, 'executes'],
    ['taskToolCall', { prompt: 'p', description: 'd' }, 'delegates describes'],
    ['updateTodosToolCall', { todos: [{ content: 'c' }] }, 'agent_reasoning'],
    ['mcpToolCall', { name: 'n', args: { a: 'b' } }, 'unknown unknown'],
  ])('cursor: %s %j', (tool, args, expected) => {
    expect(rolesOf(called(cursorStream, tool, args))).toEqual(rolesBy(args, expected))
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
