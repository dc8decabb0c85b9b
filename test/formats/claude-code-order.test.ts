import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pathsOf, read } from './make.ts'

type Row = Record<string, unknown>

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()
const record = (type: 'assistant' | 'user', seconds: number | null, content: unknown, agent: string | null): Row => ({
  ...{ type, sessionId: 's', message: { role: type, content } },
  ...(seconds === null ? {} : { timestamp: at(seconds) }),
  ...(agent === null ? {} : { isSidechain: true, agentId: agent }),
})
const call = (seconds: number | null, id: string, command: string, agent: string | null = null): Row =>
  record('assistant', seconds, [{ type: 'tool_use', id, name: 'Bash', input: { command } }], agent)
const answer = (seconds: number | null, id: string, content: string, agent: string | null = null): Row =>
  record('user', seconds, [{ type: 'tool_result', tool_use_id: id, content }], agent)

const told = (records: readonly Row[]): string[] =>
  read({ records }).steps.flatMap((step) => step.parts.map(({ text }) => text))

describe('the order of a session with subagents', () => {
  const main = [
    record('user', 0, 'Go.', null),
    record('assistant', 1, [{ type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'Do.' } }], null),
    answer(9, 't', 'report'),
    call(10, 'm', 'cat README'),
    answer(11, 'm', 'run rm -rf /tmp/x'),
  ]
  const side = [record('user', 2, 'Do.', 'a'), call(3, 's', 'rm -rf /tmp/x', 'a'), answer(4, 's', 'done', 'a')]

  test('what a subagent did before the main agent saw a thing stands before it, though the file has it behind', () => {
    const document = { records: [...main, ...side] }
    const { steps, warnings } = read(document)
    expect(warnings).toEqual([])
    expect(told(document.records)).toEqual([
      ...['Go.', 'Do.', 'Do.', 'rm -rf /tmp/x', 'done', 'report', 'cat README', 'run rm -rf /tmp/x'],
    ])
    const times = steps.map((step) => step.at ?? 0)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    // The place in the file stays.
    const act = steps.flatMap((step) => step.parts).find(({ text }) => text === 'rm -rf /tmp/x')
    expect(act?.path).toBe('/records/6/message/content/0/input/command')
  })

  test('where a time is missing, the order is that of the file, with a warning', () => {
    const records = [...main, ...side.map(({ timestamp: _timestamp, ...row }) => row)]
    expect(told(records).at(-1)).toBe('done')
    expect(pathsOf(read({ records }).warnings)).toEqual(['/records/5'])
  })

  test('a stream has no times, and is in order', () => {
    const child = { ...call(null, 's', 'ls'), parent_tool_use_id: 't' }
    const records = [...main.map(({ timestamp: _timestamp, ...row }) => row), child]
    expect(told(records).at(-1)).toBe('ls')
    expect(read({ records }).warnings).toEqual([])
  })

  test('a clock that goes back within one conversation moves nothing of it', () => {
    const records = [call(5, '1', 'a'), answer(3, '1', 'b'), call(4, '2', 'c'), call(9, '3', 'd', 'x')]
    expect(told(records)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('however the conversations of a session are laid together, the reading is one', () => {
    const whole = told([...main, ...side])
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: main.length + side.length, maxLength: 20 }), (picks) => {
        const [left, right, mixed]: [Row[], Row[], Row[]] = [[...main], [...side], []]
        for (const pick of picks) {
          const next = (pick ? left : right).shift() ?? (pick ? right : left).shift()
          if (next !== undefined) mixed.push(next)
        }
        expect(told(mixed)).toEqual(whole)
      }),
    )
  })
})
