import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { LIMITS, textAt } from './make.ts'

/** Real and golden files that other projects published. They are too many to keep in this repository. */
const CORPUS = fileURLToPath(new URL('../../../shared/trajectories/', import.meta.url))
const FOLDERS = ['atif', 'atif-trimmed']
const isThere = FOLDERS.every((folder) => existsSync(`${CORPUS}${folder}`))
if (!isThere) console.warn(`corpus tests skipped: no ${CORPUS}`)

const files = isThere
  ? FOLDERS.flatMap((folder) => readdirSync(`${CORPUS}${folder}`).map((name) => `${folder}/${name}`))
  : []

describe.skipIf(!isThere)('the corpus', () => {
  test.each(files)('%s', (file) => {
    const document: unknown = JSON.parse(readFileSync(`${CORPUS}${file}`, 'utf8'))
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
    const parts = result.value.steps.flatMap((step) => step.parts).filter((part) => !part.media)
    expect(parts.length).toBeGreaterThan(0)
    for (const part of parts) if (textAt(document, part.path) !== part.text) expect.unreachable(part.path)
  })
})
