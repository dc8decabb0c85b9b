import type { BatchStore } from '../ports/batch-ports.ts'

/** Items looked at in one turn. */
const SLICE = 1000

/** The names of the rubrics that a batch asks by, in order, whether its items have ended or not. */
export async function readBatchRubrics(
  batches: Pick<BatchStore, 'rubrics'>,
  { id, counts }: { readonly id: string; readonly counts: { readonly total: number } },
): Promise<string[]> {
  const names = new Set<string>()
  for (let from = 0; from < counts.total; from += SLICE) {
    for (const name of await batches.rubrics(id, from, from + SLICE)) if (name !== null) names.add(name)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return [...names].sort()
}
