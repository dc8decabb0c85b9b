import { describe, expect, test } from 'vitest'
import { claudeCode } from '../harness-logs/claude-code.ts'
import { codex } from '../harness-logs/codex.ts'
import { cursorStream } from '../harness-logs/cursor.ts'
import { geminiCli } from '../harness-logs/gemini-cli.ts'
import { openhands, openhandsSdk } from '../harness-logs/openhands.ts'
import type { Harness } from '../harness-logs/turn.ts'
import { read } from './make.ts'
import { OUTCOMES, REJECTED } from './outcomes.ts'

type Row = Record<string, unknown>

/** A document of one call, with the harness’s own answer to it. */
const called = (harness: Harness, name: string, args: Row, answer: Row | null): Row =>
  harness.document('Go.', [{ tool: { name, args }, answer }])

const CLAUDE_ID = `toolu_01${'0'.padStart(22, 'A')}`

function codexCalled(name: string, args: Row, output: unknown, events: readonly Row[]): Row {
  const { records } = called(codex, name, args, output === null ? null : { output }) as { records: Row[] }
  const more = events.map((payload) => ({ timestamp: '2026-03-04T10:00:30.000Z', type: 'event_msg', payload }))
  return { records: [...records, ...more] }
}

/** What became of each call, in the order of the calls. */
function outcomesOf(document: unknown): string[] {
  const parts = read(document).steps.flatMap((step) => step.parts)
  return [...new Set(parts.flatMap(({ act }) => (act === null ? [] : [act.call])))].map(({ outcome }) => outcome)
}

const failed = (content: unknown, record: Row = {}): Row => ({ content, is_error: true, record })

describe('what became of a call', () => {
  test.each(OUTCOMES['claude-code'])('claude-code: %s', (_, answer, expected) => {
    const { failed: content, ...more } = answer ?? {}
    const whole = content === undefined ? answer : { ...failed(content), ...more }
    expect(outcomesOf(called(claudeCode, 'Bash', { command: 'ls' }, whole))).toEqual([expected])
  })

  test.each(OUTCOMES.codex)('codex: %s', (_, output, events, expected) => {
    expect(outcomesOf(codexCalled('exec_command', { cmd: 'ls' }, output, events))).toEqual([expected])
  })

  test.each(OUTCOMES['gemini-cli'])('gemini-cli: %s', (_, end, expected) => {
    expect(outcomesOf(called(geminiCli, 'run_shell_command', { command: 'ls' }, end))).toEqual([expected])
  })

  test.each(OUTCOMES.openhands)('openhands: %s', (_, args, answer, expected) => {
    expect(outcomesOf(called(openhands, 'run', { command: 'ls', ...args }, answer))).toEqual([expected])
  })

  test.each(OUTCOMES['openhands-sdk'])('the SDK of openhands: %s', (_, answer, expected) => {
    expect(outcomesOf(called(openhandsSdk, 'terminal', { command: 'ls' }, answer))).toEqual([expected])
  })

  test.each(OUTCOMES.cursor)('cursor: %s', (_, result, expected) => {
    expect(outcomesOf(called(cursorStream, 'shellToolCall', { command: 'ls' }, result))).toEqual([expected])
  })

  test.each(OUTCOMES['codex-exec'])('codex exec: %j %j', (item, end, expected) => {
    const records = [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.started', item: { id: '1', status: 'in_progress', ...item } },
      { type: 'item.completed', item: { id: '1', ...item, ...end } },
    ]
    expect(outcomesOf({ records })).toEqual([expected])
  })

  test.each<[string, Row]>([
    [
      'the end of a stream',
      { type: 'result', session_id: 's', permission_denials: [{ tool_name: 'Bash', tool_use_id: CLAUDE_ID }] },
    ],
    [
      'a notice of the stream',
      { type: 'system', subtype: 'permission_denied', session_id: 's', tool_use_id: CLAUDE_ID },
    ],
  ])('claude-code: %s tells what was denied', (_, told) => {
    const { records } = called(claudeCode, 'Bash', { command: 'ls' }, failed('No.')) as { records: Row[] }
    expect(outcomesOf({ records: [...records, told] })).toEqual(['rejected'])
    expect(read({ records: [...records, told] }).warnings).toEqual([])
  })

  test('claude-code: a server cannot say that its tool was turned down', () => {
    expect(outcomesOf(called(claudeCode, 'mcp__x__run', { a: 'b' }, failed(REJECTED)))).toEqual(['failed'])
    const told = failed(REJECTED, { toolUseResult: 'User rejected tool use' })
    expect(outcomesOf(called(claudeCode, 'mcp__x__run', { a: 'b' }, told))).toEqual(['rejected'])
  })

  test('codex: what another tool answers is not the harness speaking', () => {
    expect(outcomesOf(codexCalled('mcp__x__run', { a: 'b' }, 'exec command rejected by user', []))).toEqual([
      'answered',
    ])
  })

  test('the SDK of openhands: a call that is no action was not carried out', () => {
    const answer = { kind: 'AgentErrorEvent', error: 'Error validating args' }
    const { records } = called(openhandsSdk, 'terminal', { command: 'ls' }, answer) as { records: Row[] }
    expect(
      outcomesOf({ records: records.map((one, index) => (index === 0 ? { ...one, action: null } : one)) }),
    ).toEqual(['rejected'])
  })
})

describe('of calls that share an id', () => {
  const call = (command: string): Row => ({ type: 'tool_use', id: '1', name: 'Bash', input: { command } })
  const record = (type: string, content: Row[]): Row => ({ type, sessionId: 's', message: { role: type, content } })
  const answer = (more: Row): Row => record('user', [{ type: 'tool_result', tool_use_id: '1', ...more }])
  const [ok, rejected] = [answer({ content: 'ok' }), answer(failed(REJECTED))]

  test('and wait together nobody can tell whose the answer is', () => {
    const records = [record('assistant', [call('a'), call('b')]), ok, rejected]
    expect(outcomesOf({ records })).toEqual(['unknown', 'unknown'])
  })

  test('the one behind the answer of the first is another', () => {
    const records = [record('assistant', [call('a')]), ok, record('assistant', [call('b')]), rejected]
    expect(outcomesOf({ records })).toEqual(['ran', 'rejected'])
  })
})
