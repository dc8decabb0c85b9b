import { expect, test } from 'vitest'
import type { Context } from '../../src/http/context.ts'
import { createMetrics, measureContext } from '../../src/http/plugins/metrics.ts'

const never = () => new Promise<never>(() => undefined)

test('a database that never answers costs a scrape its figures of batches and nothing else', {
  timeout: 9_000,
}, async () => {
  const metrics = createMetrics()
  let asked = 0
  const list = () => {
    asked += 1
    return never()
  }
  const context = {
    ...{ listen: () => undefined, judges: new Map(), laneOf: never },
    stores: { batches: { list }, grades: { countEvidence: never } },
  }
  measureContext(metrics, context as unknown as Context)
  for (let scrapes = 0; scrapes < 2; scrapes++) {
    const text = await metrics.registry.metrics()
    expect(text).not.toMatch(/^veridict_batches\{/m)
  }
  // Nobody asks again while the first question is open.
  expect(asked).toBe(3)
})
