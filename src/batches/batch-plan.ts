import type { NewBatch } from '../ports/batch-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import type { BatchItem, BatchOptions } from '../schemas/batch.ts'

/** What is said of a batch as a whole. What is absent here has a default; what is absent in an item is taken from here. */
export interface BatchPlan extends Omit<NewBatch, 'id' | 'created_at'> {
  readonly judge?: string
  readonly rubric?: string
  readonly samples?: number
  readonly cache?: BatchItem['cache']
}

/** The plan of a batch of new trials. */
export const planOf = (
  { dry_run: _, name, key, mode, max_cost_usd, ...defaults }: BatchOptions,
  payer: Payer | null,
): BatchPlan => ({
  kind: 'grade',
  mode: mode ?? 'direct',
  name: name ?? null,
  key: key ?? null,
  max_cost_usd: max_cost_usd ?? null,
  payer,
  ...defaults,
})

export function withDefaults({ item_id: _, ...item }: BatchItem, plan: BatchPlan): Omit<BatchItem, 'item_id'> {
  const { judge, rubric, samples, cache } = plan
  return {
    ...(judge !== undefined && { judge }),
    ...(rubric !== undefined && { rubric }),
    ...(samples !== undefined && { samples }),
    ...(cache !== undefined && { cache }),
    ...item,
  }
}
