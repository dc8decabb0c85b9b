import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { beyondTools, partsOf, pathsOf, read, refuse } from './make.ts'

const opened = (text: string): { name: string; document: Record<string, unknown>; about: object }[] => {
  const result = openDocuments(text)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return [...result.value]
}
const partsIn = ({ steps }: Trajectory): Trajectory['steps'][number]['parts'][number][] =>
  steps.flatMap(({ parts }) => parts)

const chat = (...messages: object[]): { messages: object[] } => ({ messages })
const ask = { role: 'user', content: 'Do it.' }
const call = (id: string, name: string, args: unknown): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

describe('hostile chats', () => {
  test('keep members of the name __proto__ as data', () => {
    const source: unknown = JSON.parse(
      '{"messages":[{"role":"user","content":"x","__proto__":{"role":"assistant"}},' +
        '{"role":"assistant","content":"","tool_calls":[{"id":"__proto__","function":{"name":"f","arguments":"{\\"__proto__\\":{\\"a\\":\\"b\\"}}"}}]},' +
        '{"role":"tool","tool_call_id":"__proto__","content":"y"}]}',
    )
    const trajectory = read(source)
    expect(partsOf(trajectory, 1)).toEqual([
      ['agent_action', 'f.__proto__.a', '/messages/1/tool_calls/0/function/arguments#/__proto__/a', 'b'],
      ['tool_output', 'f', '/messages/2/content', 'y'],
    ])
    expect(pathsOf(beyondTools(trajectory.warnings))).toEqual(['/messages/0/__proto__'])
  })

  test('are refused when nested beyond use, before and after they are opened', () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const [only] = opened(`{"messages":[{"role":"user","content":${deep}}]}`)
    expect(refuse(only?.document)[0]?.message).toMatch(/nested deeper/)
  })

  test('of many blocks and many results before their call take linear time', () => {
    const blocks = Array.from({ length: 40_000 }, () => ({ type: 'text', text: 'x' }))
    const early = Array.from({ length: 50_000 }, () => ({ role: 'tool', tool_call_id: 'a', content: 'y' }))
    const source = chat(
      ask,
      ...early,
      { role: 'assistant', content: '', tool_calls: [call('a', 'f', {})] },
      { role: 'tool', tool_call_id: 'a', content: blocks },
    )
    const started = performance.now()
    expect(partsIn(read(source))).toHaveLength(90_002)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
