import { describe, expect, test } from 'vitest'
import { readTables } from '../tables.ts'
import { atif, read, textAt } from './make.ts'

interface Tables {
  readonly acts: [form: string, words: string, parts: string[]][]
  readonly doubts: [name: string, document: object][]
  readonly speech: [name: string, document: object][]
}
const TABLES = readTables<Tables>('formats/tables/message-acts')

/** Acts that stand in what the agent says: found where it is sure, marked and warned about where it is not. */

const observed = (content: string): object => ({ observation: { results: [{ content }] } })
const chat = (...contents: string[]): object => ({
  messages: contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
})
const list = (...steps: [string, string][]): object => ({ steps: steps.map(([actor, text]) => ({ actor, text })) })

/** `actor role:language text` of every part behind the first step; checks every path on the way. */
function told(document: unknown): string[] {
  const { steps } = read(document)
  const parts = steps.flatMap((step) => step.parts)
  for (const part of parts) expect(textAt(document, part.path)).toBe(part.text)
  return parts
    .filter(({ actor }) => actor.startsWith('agent_'))
    .map(({ actor, act, text }) => [actor, act === null ? '' : ` ${act.role}:${act.language}`, ` ${text}`].join(''))
}
const SPEECH = 'I look.\n'
describe('an act inside a message that tool output answers', () => {
  test.each(TABLES.acts)('is an act: %s', (_, act, expected) => {
    const [, opening = ''] = /^(<(?:commands|function_calls)>\n)?/.exec(act) ?? []
    const spoken = [`agent_message ${SPEECH}${opening}`]
    for (const document of [
      atif([{ message: SPEECH + act, ...observed('out') }]),
      list(['agent_message', SPEECH + act], ['tool_output', 'out']),
      chat('Fix it.', SPEECH + act, 'Observation: out'),
    ]) {
      expect(told(document)).toEqual([...spoken, ...expected])
      expect(read(document).warnings.filter(({ message }) => message.includes('speech'))).toEqual([])
    }
  })
})

describe('a message that only may hold an act', () => {
  const doubts = (document: unknown): unknown[] =>
    read(document).steps.flatMap(({ parts }) =>
      parts.flatMap(({ actor, act }) => (act === null ? [] : [actor, act.role, act.call.tool])),
    )

  test.each(TABLES.doubts)('is speech, is marked and warned about: %s', (_, document) => {
    expect(doubts(document).slice(0, 3)).toEqual(['agent_message', 'unknown', 'message'])
    const told = read(document).warnings.filter(({ message }) => message.includes('reads like a tool call'))
    expect(told).toHaveLength(1)
  })

  test.each(TABLES.speech)('is not seen in %s', (_, document) => {
    const { steps, warnings } = read(document)
    const messages = steps.flatMap(({ parts }) => parts).filter(({ actor }) => actor === 'agent_message')
    expect(messages.map(({ act }) => act)).toEqual(messages.map(() => null))
    expect(warnings).toEqual([])
  })
})
