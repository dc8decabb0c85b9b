import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { MUTANTS } from './mutants.ts'
import { runMutant } from './mutation.ts'

describe('mutants', () => {
  test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))('%s fits the source of today', (_name, mutant) => {
    for (const { file, find } of mutant.patches) {
      expect(readFileSync(file, 'utf8').split(find).length - 1, `${file}: ${find}`).toBe(1)
    }
  })

  test('a copy that nobody weakened is passed, a weakened one is caught by name', { timeout: 120_000 }, async () => {
    const classes = ['worn_down', 'disguised_surface'] as const
    const whole = await runMutant({ name: 'none', patches: [], classes, every: 1 })
    expect(whole).toMatchObject({ wrong: [], crashed: [] })
    expect(whole.graded).toBeGreaterThan(100)
    for (const name of ['repair-limit', 'colours', 'order-by-time']) {
      const mutant = MUTANTS.find((one) => one.name === name)
      if (mutant === undefined) throw new Error(name)
      const { wrong } = await runMutant(mutant)
      const begin = mutant.classes?.[0] ?? mutant.cases?.[0] ?? '-'
      expect(wrong.every((one) => one.startsWith(begin))).toBe(true)
      expect(wrong.length).toBeGreaterThan(10)
    }
  })

  test('a patch that does not fit is an error, not a survivor', async () => {
    const patches = [{ file: 'src/domain/quotes/locate.ts', find: 'nothing like this', put: '' }]
    await expect(runMutant({ name: 'stale', patches, classes: ['worn_down'] })).rejects.toThrow('fits 0 places')
  })
})
