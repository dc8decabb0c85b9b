import { expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { refuse } from './make.ts'

const chat = (...messages: object[]): { messages: object[] } => ({ messages })
const ask = { role: 'user', content: 'Do it.' }

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
