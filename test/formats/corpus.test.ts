import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { corpusOf, expectPlaces, LIMITS } from './make.ts'

/** Real and golden files that other projects published. They are too many to keep in this repository. */
const CORPORA = ['atif', 'atif-trimmed'].map(corpusOf)
const files = CORPORA.flatMap(({ folder, files }) => files.map((name) => `${folder}${name}`))

describe.skipIf(files.length === 0)('the corpus', () => {
  test.each(files)('%s', (file) => {
    const document: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const result = readTrajectory(document, LIMITS)
    const { schema_version: version } = document as Record<string, unknown>
    // Two trajectories in one file.
    const isForeign = version === undefined
    expect(result.ok).toBe(!isForeign)
    if (!result.ok) {
      expect(result.error).toEqual([{ path: '', message: expect.stringMatching(/parent/) }])
      return
    }
    expect(result.value.steps.length).toBeGreaterThan(0)
    expectPlaces(document, result.value)
  })
})
