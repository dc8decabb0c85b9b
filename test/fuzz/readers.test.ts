import { expect, test } from 'vitest'
import { fuzz } from './engine.ts'
import { keptInputs } from './target.ts'
import { READERS } from './targets/readers.ts'

const OPTIONS = { seed: 1, seconds: 100, maxFinds: 1, maxRuns: 300 } as const

test.each(READERS.map((reader) => [reader.name, reader] as const))(
  '%s: documents near the samples are read or refused, and what is read says where it stands',
  async (_name, reader) => {
    const kept = keptInputs(reader).map(({ input }) => input)
    const { runs, finds } = await fuzz(reader, kept, OPTIONS)
    expect(finds).toEqual([])
    expect(runs).toBeGreaterThanOrEqual(OPTIONS.maxRuns)
  },
)
