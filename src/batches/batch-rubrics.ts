import type { Rubric } from '../domain/rubric/rubric.ts'
import { rubricView } from '../domain/rubric/rubric-view.ts'
import type { BatchStore } from '../ports/batch-ports.ts'
import type { RubricView } from '../schemas/rubric-view.ts'

/** Items looked at in one turn. */
const SLICE = 1000

/** The rubrics that a batch asks by, as far as they are loaded, by their names; whether its items have ended or not. */
export async function readBatchRubrics(
  batches: Pick<BatchStore, 'rubrics'>,
  { id, counts }: { readonly id: string; readonly counts: { readonly total: number } },
  loaded: ReadonlyMap<string, Rubric>,
): Promise<RubricView[]> {
  const names = new Set<string>()
  for (let from = 0; from < counts.total; from += SLICE) {
    for (const name of await batches.rubrics(id, from, from + SLICE)) if (name !== null) names.add(name)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return [...names]
    .sort()
    .flatMap((name) => loaded.get(name) ?? [])
    .map(rubricView)
}
