import { expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { oddIn, refuse } from './make.ts'

const chat = (...messages: object[]): { messages: object[] } => ({ messages })
const ask = { role: 'user', content: 'Do it.' }

test.each<[string, object, string]>([
  ['content of a number', { role: 'user', content: 7 }, '/messages/1/content'],
  ['a block that is null', { role: 'user', content: [null] }, '/messages/1/content/0'],
  ['calls that are text', { role: 'assistant', content: '', tool_calls: 'ls' }, '/messages/1/tool_calls'],
  ['a call that is text', { role: 'assistant', content: '', tool_calls: ['ls'] }, '/messages/1/tool_calls/0'],
  ['a text block without text', { role: 'user', content: [{ type: 'text' }] }, '/messages/1/content/0/text'],
])('a chat is read but for %s', (_, message, path) => {
  expect(oddIn(chat(ask, message))).toEqual([path])
})

test('a document of several runs is refused', () => {
  expect(refuse({ records: [chat(ask), chat(ask)] })).toEqual([
    { path: '', message: expect.stringContaining('2 runs') },
  ])
})

test('a chat that is nested beyond use is refused, before and after it is opened', () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const opened = openDocuments(`{"messages":[{"role":"user","content":${deep}}]}`)
  expect(refuse(opened.ok ? opened.value[0]?.document : null)[0]?.message).toMatch(/nested deeper/)
})
