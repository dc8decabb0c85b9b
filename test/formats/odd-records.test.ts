import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { readTables } from '../tables.ts'
import { read, refuse } from './make.ts'

const TABLES =
  readTables<Record<'records' | 'acts', [format: string, document: object, path: string][]>>('formats/tables/odd')

const ODD = { oddly: 'shaped' }

describe('an odd record beside sound ones is unread at its place, and the document is read', () => {
  test.each(TABLES.records)('%s', (format, document, path) => {
    const trajectory = read(document)
    expect(trajectory.format).toBe(format)
    expect(trajectory.steps.length).toBeGreaterThan(0)
    expect(trajectory.unread.records).toBe(1)
    expect(trajectory.warnings.map((warning) => warning.path)).toContain(path)
  })
})

describe('an odd answer, call, run or block beside sound ones is an unread act at its place, and the document is read', () => {
  test.each(TABLES.acts)('%s', (format, document, path) => {
    const trajectory = read(document)
    expect(trajectory.format).toBe(format)
    expect(trajectory.steps.length).toBeGreaterThan(0)
    expect(trajectory.unread).toEqual({ records: 1, actions: 1 })
    expect(trajectory.warnings.map((warning) => warning.path)).toContain(path)
  })
})

test.each(['messages', 'records', 'contents'])('an empty list is named: %s', (name) => {
  expect(refuse({ [name]: [] })[0]?.message).toMatch(`No run stands in the empty list "${name}".`)
})

test('an odd row beside runs is refused alone', () => {
  const chat = { messages: [{ role: 'user', content: 'Go.' }] }
  const opened = openDocuments(JSON.stringify([chat, ODD, chat]))
  expect(opened.ok && opened.value.map(({ document }) => document)).toEqual([chat, { records: [ODD] }, chat])
  expect(refuse({ records: [ODD] })).toHaveLength(1)
})
