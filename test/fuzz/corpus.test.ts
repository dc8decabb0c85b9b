import { describe, expect, test } from 'vitest'
import { checkLaw, keptInputs } from './target.ts'
import { TARGETS } from './targets.ts'

describe.each(TARGETS.map((target) => [target.name, target] as const))('%s', (_name, target) => {
  const kept = keptInputs(target)

  test('obeys its law on every input that is kept', async () => {
    for (const { file, input } of kept) await expect(checkLaw(target, input), file).resolves.toBeUndefined()
    expect(kept.length).toBeGreaterThan(0)
  })

  test('keeps its inputs as they are read', () => {
    for (const { file, input } of kept)
      expect(target.encode(target.decode(target.encode(input))), file).toEqual(target.encode(input))
  })
})
