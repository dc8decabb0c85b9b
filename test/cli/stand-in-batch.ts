import type { Batch, BatchEstimate, BatchItem, BatchResult, ResultGrade } from '../../src/schemas/batch.ts'
import type { FailureCode, Label } from '../../src/schemas/vocabulary.ts'

/** How the stand-in ends an item. */
export type Ending = { readonly label: Label } | { readonly status: 'unverified' } | { readonly failure: FailureCode }

export interface Held {
  batch: Batch
  items: BatchItem[]
  results: BatchResult[]
  /** Times that the batch was read. */
  reads: number
}

export const ESTIMATE: BatchEstimate = {
  items: 3,
  cached: 1,
  to_grade: 2,
  calls: { expected: 2.4, most: 6 },
  input_tokens: { expected: 60_000, most: 1_500_000 },
  output_tokens: { expected: 900, most: 4000 },
  cost_usd: { expected: 0.081, most: 1.5 },
}

export function newBatch(
  n: number,
  total: number,
  query: Readonly<Record<string, string>>,
  kind: Batch['kind'],
): Batch {
  const number = String(n).padStart(2, '0')
  return {
    ...{ id: `bat_${number}`, kind, name: query['name'] ?? null, key: query['key'] ?? null, status: 'running' },
    mode: query['mode'] === 'provider' ? 'provider' : 'direct',
    counts: { total, pending: total, running: 0, graded: 0, unverified: 0, failed: 0, cancelled: 0 },
    ...{ labels: {}, failures: {}, cached: 0, calls: { made: 0, unknown: 0 }, cost_usd: 0, uncertain_usd: 0 },
    max_cost_usd: query['max_cost_usd'] === undefined ? null : Number(query['max_cost_usd']),
    ...{ parked_reason: null, resumes_at: null, finished_at: null },
    created_at: `2026-11-21T08:00:${number}.000Z`,
  }
}

const GRADE: ResultGrade = {
  confidence: { reported: 'medium', vote_share: null, calibrated: null, source: 'reported' },
  ...{ judge: 'lexical', claimed_label: null, contradictions: [], unmet: [], cost_usd: null, warnings: 0 },
  ...{ evidence: { cited: 1, held: 1 }, unread: { records: 0, actions: 0 } },
}

/** Ends the next pending item, and the batch with the last one. */
export function endItem(held: Held, ending: Ending): void {
  const index = held.results.length
  const item = held.items[index]
  if (item === undefined) throw new Error('all items have ended')
  const { batch } = held
  const status = 'label' in ending ? 'graded' : 'failure' in ending ? 'failed' : 'unverified'
  const label = 'label' in ending ? ending.label : null
  const failure =
    'failure' in ending
      ? { code: ending.failure, message: `the provider said ${ending.failure}`, retryable: true, retry_after_s: null }
      : null
  held.results.push({
    ...{ item_id: item.item_id ?? String(index), index, status, label, failure, metadata: item.metadata ?? {} },
    ...{ judge: item.judge ?? 'lexical', rubric: item.rubric ?? null, cached: false, base_grade_id: null },
    ...(failure === null ? { grade_id: `grd_${index}`, grade: GRADE } : { grade_id: null, grade: null }),
  })
  const counts = { ...batch.counts, pending: batch.counts.pending - 1, [status]: batch.counts[status] + 1 }
  held.batch = {
    ...batch,
    counts,
    labels: label === null ? batch.labels : oneMore(batch.labels, label),
    failures: failure === null ? batch.failures : oneMore(batch.failures, failure.code),
    cost_usd: (batch.cost_usd ?? 0) + 0.01,
    calls: { made: batch.calls.made + 1, unknown: 0 },
    ...(counts.pending === 0 && { status: 'done', finished_at: '2026-11-21T09:00:00.000Z' }),
  }
}

const oneMore = (counts: Readonly<Record<string, number | undefined>>, word: string) =>
  ({ ...counts, [word]: (counts[word] ?? 0) + 1 }) as Record<string, number>
