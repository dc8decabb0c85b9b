import type { ItemEnd, NewBatch, NewItem } from '../../src/db/batches.ts'
import type { Stores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Failure } from '../../src/schemas/grade.ts'
import { GROUND_TRUTH } from './make-grade.ts'

export const AT = '2026-11-21T00:00:00.000Z'

/** Counts of a batch without items. */
export const UNCOUNTED = { total: 0, pending: 0, running: 0, graded: 0, unverified: 0, failed: 0, cancelled: 0 }

export const makeBatch = (id: string, given: Partial<NewBatch> = {}): NewBatch => ({
  id,
  kind: 'grade',
  mode: 'direct',
  name: null,
  key: null,
  max_cost_usd: null,
  payer: null,
  created_at: AT,
  ...given,
})

/** An item; those with the same `word` have the same trajectory. */
export const makeItem = (index: number, given: Partial<NewItem> & { readonly word?: string } = {}): NewItem => {
  const { word = `t${index}`, ...rest } = given
  const request = { ground_truth: GROUND_TRUTH, samples: 1, metadata: { task: `task ${index}` } }
  return { index, item_id: `item-${index}`, trajectory: digestBytes(word), request, base_grade: null, ...rest }
}

export const FAILURE: Failure = { code: 'timeout', message: 'naïve 中文', retryable: true, retry_after_s: 3 }

export const ENDS = {
  aligned: { status: 'graded', label: 'aligned', grade_id: 'grd_a', cached: false },
  cached: { status: 'graded', label: 'aligned', grade_id: 'grd_b', cached: true },
  ignored: { status: 'graded', label: 'ignored', grade_id: 'grd_c', cached: false },
  unverified: { status: 'unverified', grade_id: 'grd_d', cached: false },
  timeout: { status: 'failed', failure: FAILURE, grade_id: 'grd_e' },
  never: { status: 'failed', failure: { ...FAILURE, code: 'budget_exceeded' }, grade_id: null },
} as const satisfies Record<string, ItemEnd>

/** A running batch with these items, or with so many. */
export async function openBatch(
  { batches }: Pick<Stores, 'batches'>,
  id: string,
  items: number | readonly NewItem[],
  given: Partial<NewBatch> = {},
) {
  const list = typeof items === 'number' ? Array.from({ length: items }, (_, index) => makeItem(index)) : items
  await batches.draft(makeBatch(id, given))
  for (let at = 0; at < list.length; at += 500) await batches.add(id, list.slice(at, at + 500))
  await batches.open(id)
}

/** The batch, which must be there. */
export async function readBatch(stores: Stores, id: string): Promise<Batch> {
  const batch = await stores.batches.get(id)
  if (batch === null) throw new Error(`there is no ${id}`)
  return batch
}
