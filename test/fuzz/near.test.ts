import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearJson } from './near.ts'
import { checkLaw, keptInputs, MAX_INPUT_BYTES } from './target.ts'
import { READERS } from './targets/readers.ts'
import { TARGETS } from './targets.ts'

/** Seconds for each target, as `npm run fuzz` sets them; otherwise each reader is given 300 inputs. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0)
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
const BUDGET = SECONDS > 0 ? { numRuns: 1e9, interruptAfterTimeLimit: 1000 * SECONDS } : { numRuns: 300 }

const targets = SECONDS > 0 ? (TARGETS as unknown as typeof READERS) : READERS
test.each(targets.map((target) => [target.name, target.law, target] as const))(
  'near the kept inputs of %s: %s',
  { timeout: 400_000 + 1000 * SECONDS },
  async (_name, _law, target) => {
    const kept = keptInputs(target).map(({ input }) => input)
    const law = fc.asyncProperty(target.near(kept), async (input) => {
      if (target.encode(input).length <= MAX_INPUT_BYTES) await checkLaw(target, input)
    })
    const examples = kept.map((input): [typeof input] => [input])
    await fc.assert(law, { seed: SEED, examples, markInterruptAsFailure: false, ...BUDGET })
  },
)

/** A bug that was in readers once. */
test('inputs near a kept one find an id that is an object without a toString, and make the input small', () => {
  const seed = [{ id: 'a' }, { id: 'b' }]
  const ids = fc.property(nearJson([seed]), (input) => {
    for (const item of Array.isArray(input) ? input : []) String((item as { id?: unknown } | null)?.id)
  })
  const { counterexample, errorInstance } = fc.check(ids, { seed: 7, numRuns: 20_000 })
  expect(String(errorInstance)).toContain('Cannot convert object to primitive value')
  expect(JSON.stringify(counterexample).length).toBeLessThan(50)
})
