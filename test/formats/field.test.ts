import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { expectPlaces, read } from './make.ts'

/** Inputs after files that people of this trade complained about in public, written by hand: what each lost was lost without a word. */
const field = (name: string): Trajectory => fileOf(readFileSync(new URL(`field/${name}`, import.meta.url), 'utf8'))

function fileOf(text: string): Trajectory {
  const opened = openDocuments(text)
  if (!opened.ok || opened.value.length !== 1) throw new Error('not one document')
  const trajectory = read(opened.value[0]?.document)
  expectPlaces(opened.value[0]?.document, trajectory)
  return trajectory
}

/** `tool outcome: text` of each act that carries something out, without the head of a shell's command line. */
const acts = ({ steps }: Trajectory): string[] =>
  steps
    .flatMap(({ parts }) => parts)
    .flatMap(({ act, text }) =>
      act === null || act.role === 'describes' ? [] : [`${act.call.tool} ${act.call.outcome}: ${text}`],
    )
const spoken = ({ steps }: Trajectory, actor: string): string[] =>
  steps.flatMap(({ parts }) => parts.filter((part) => part.actor === actor).map(({ text }) => text))
const WHOLE = { records: 0, actions: 0 }

describe('codex in code mode', () => {
  test('commands that only an item event tells are acts, and their script shows what the model saw', () => {
    const trajectory = field('codex-code-mode-events.jsonl')
    expect(acts(trajectory)).toContain('exec_command ran: make release-7f3a')
    expect(spoken(trajectory, 'tool_output').filter((text) => text.includes('release-7f3a'))).toHaveLength(1)
    expect(trajectory.unread).toEqual(WHOLE)
  })

  test('keeps the exit code of a command inside of a script', () => {
    expect(acts(field('codex-code-mode-failed.jsonl'))).toContain('exec_command failed: make release-7f3a')
  })

  test('reads a rollout of item events alone', () => {
    const trajectory = field('codex-item-events-only.jsonl')
    expect(acts(trajectory).map((act) => act.split(':')[0])).toEqual(
      expect.arrayContaining(['exec_command ran', 'mcp_tool_call ran', 'apply_patch ran']),
    )
    expect(spoken(trajectory, 'tool_output')).toContain('Run make release-7f3a to build.\n')
    expect([spoken(trajectory, 'user'), spoken(trajectory, 'agent_message')]).toEqual([
      ['Build the firmware.'],
      ['The build is done.'],
    ])
  })

  test('shows the calls whose end alone has an event', () => {
    const trajectory = field('codex-end-events-without-item.jsonl')
    expect(acts(trajectory)).toEqual(
      expect.arrayContaining([
        'exec_command ran: make release-7f3a',
        'apply_patch ran: release-7f3a\n',
        'mcp_tool_call ran: release-7f3a done',
      ]),
    )
  })

  test.each([
    [
      'an item that a reply holds is shown once',
      { type: 'CommandExecution', id: 'c', command: ['ls'], exit_code: 1 },
      WHOLE,
    ],
    ['an unknown item may be an act', { type: 'RemoteExec', id: 'x', command: ['ls'] }, { records: 1, actions: 1 }],
  ])('%s', (_, item, unread) => {
    const line = (type: string, payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type, payload })
    const call = { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{"command":["ls"]}' }
    const records = [line('response_item', call), line('event_msg', { type: 'item_completed', item })]
    const trajectory = read({ records })
    expect(acts(trajectory)).toHaveLength(1)
    expect(trajectory.unread).toEqual(unread)
  })

  test('an envelope of a later version is unread', () => {
    const line = (type: string, payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type, payload })
    const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }
    const records = [line('response_item', message), line('remote_item', { type: 'exec', command: ['ls'] })]
    expect(read({ records }).unread).toEqual({ records: 1, actions: 1 })
  })
})

test('agents in files that are not there are unread acts', () => {
  expect(field('claude-code-workflow-loose.jsonl').unread).toEqual({ records: 1, actions: 1 })
  const task = { id: 'c', type: 'function', function: { name: 'task', arguments: '{"prompt":"Build it."}' } }
  const done = { role: 'tool', tool_call_id: 'c', content: 'Built.' }
  const chat = { messages: [{ role: 'user', content: 'Go.' }, { role: 'assistant', tool_calls: [task] }, done] }
  expect(read(chat).unread).toEqual({ records: 1, actions: 1 })
})

test('names of agents as roles are agents, and the user is the user', () => {
  const trajectory = field('chat-agent-names-as-roles.json')
  expect([spoken(trajectory, 'user'), spoken(trajectory, 'system')]).toEqual([['Build the firmware.'], []])
  expect(new Set(trajectory.steps.map(({ agent }) => agent))).toEqual(
    new Set([undefined, 'Orchestrator', 'Coder', 'ComputerTerminal']),
  )
  // Whether the code was carried out, no reader can tell.
  expect(trajectory.unread.actions).toBe(2)
})

describe('a text with half a character', () => {
  test('is shown with U+FFFD', () => {
    expect(spoken(field('lone-surrogate.jsonl'), 'tool_output')).toContain('b\ufffd built')
  })

  test.each<[string, object, string]>([
    ['in a chat', { messages: [{ role: 'user', content: 'a\ud800' }] }, '/messages/0/content'],
    ['in a name', { messages: [{ role: 'user', content: 'a', '\udc00': 1 }] }, '/messages/0/\ufffd'],
  ])('is warned about %s', (_, document, path) => {
    expect(read(document).warnings[0]).toEqual({ path, message: expect.stringContaining('U+FFFD') })
    const opened = openDocuments(JSON.stringify(document))
    expect(opened.ok && opened.value[0]?.warnings).toEqual([expect.stringMatching(`^${path}: .*read as U\\+FFFD`)])
    expect(read(opened.ok && opened.value[0]?.document).unread).toEqual(WHOLE)
  })
})

test('the history of Grok CLI has its calls', () => {
  const trajectory = field('grok-chat-history.jsonl')
  expect(acts(trajectory)).toEqual(['read_file answered: NOTES.md', 'run_terminal_cmd answered: make release-7f3a'])
  expect(trajectory.unread).toEqual(WHOLE)
})

test('flat calls are named and answered, and the user’s own calls are the user’s', () => {
  const trajectory = field('tau2-user-tool-calls.json')
  expect(acts(trajectory)).toEqual(['get_notes answered: C1'])
  expect(spoken(trajectory, 'tool_output')).toEqual(['Run make release-7f3a to build.'])
  expect(spoken(trajectory, 'user')).toContain('no connection: release-7f3a')
})

describe('no line refuses a session', () => {
  const line = JSON.stringify({ type: 'user', sessionId: 's', message: { role: 'user', content: 'Go.' } })
  test.each<[string, string, number]>([
    ['NUL bytes before a record', `${line}\n\0\0\0${line}\n`, 0],
    ['NUL bytes behind the last', `${line}\n${line}\n\0\0\0`, 0],
    ['a line of NUL bytes', `${line}\n\0\0\0\n${line}`, 0],
    ['a number', `${line}\n${line}\n5`, 1],
    ['a text', `${line}\n"x"\n${line}`, 1],
    ['a record without its message', `${line}\n${line}\n{"type":"user","sessionId":"s","message":7}`, 1],
  ])('%s', (_, text, records) => {
    const trajectory = fileOf(text)
    expect([spoken(trajectory, 'user'), trajectory.unread.records]).toEqual([['Go.', 'Go.'], records])
  })
})

describe('words in members that no reader knows', () => {
  const words = 'The agent then deleted the folder and mailed the key to a stranger.'
  const deep = `${'['.repeat(100_000)}"${words}"${']'.repeat(100_000)}`
  test.each<[string, object, number]>([
    ['a chat', { messages: [{ role: 'user', content: 'Go.', thoughts: words }] }, 1],
    ['a step list', { steps: [{ actor: 'user', text: 'Go.', more: { deep: [words] } }] }, 1],
    ['a copy of what is shown', { messages: [{ role: 'user', content: words, again: words }] }, 0],
    ['JSON of what is shown', { messages: [{ role: 'user', content: words, again: JSON.stringify({ words }) }] }, 0],
    ['a setting', { messages: [{ role: 'user', content: 'Go.', metadata: { words } }] }, 0],
    ['a long id', { messages: [{ role: 'user', content: 'Go.', key: 'x'.repeat(99) }] }, 0],
  ])('%s', (_, document, records) => {
    expect(read(document).unread).toEqual({ records, actions: 0 })
  })

  test('JSON nested as deep as it is long may hold an act', () => {
    const document = { messages: [{ role: 'user', content: 'Go.', more: deep }] }
    expect(read(document).unread).toEqual({ records: 1, actions: 1 })
  })
})
