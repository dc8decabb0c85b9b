import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTables } from '../tables.ts'
import { expectPlaces, read } from './make.ts'
import { type Reading, readingOf } from './reading-words.ts'

/** A document, and the reading of the document in words. */
interface Case extends Reading {
  readonly name: string
  readonly document: object
}

const TABLES = readdirSync(new URL('tables/readings', import.meta.url)).map((file) => file.replace('.yaml', ''))

describe.each(TABLES)('readings of %s', (table) => {
  const cases = readTables<readonly Case[]>(`formats/tables/readings/${table}`)
  test.each(cases.map((row) => [row.name, row] as const))('%s', (_name, { name: _, document, ...expected }) => {
    const trajectory = read(document)
    expectPlaces(document, trajectory)
    expect(readingOf(trajectory)).toEqual(expected)
  })
})
