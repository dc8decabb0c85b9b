import type { Answer, JudgedItem } from '../../domain/validation/judged-item.ts'
import type { Batch, BatchResult } from '../../schemas/batch.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Session } from '../client/session.ts'
import { inOrder } from '../input/in-order.ts'
import type { Label } from './labelled-data.ts'

/** An item of the batch with its grade and its label. */
export interface Judged {
  readonly item: JudgedItem
  readonly result: BatchResult
  readonly grade: Grade | null
}

const AT_ONCE = 8

export async function readJudged(
  { client, signal, view }: Session,
  batch: Batch,
  labels: ReadonlyMap<string, Label>,
  answers: ReadonlyMap<string, Record<string, Answer>>,
): Promise<Judged[]> {
  const judged: Judged[] = []
  const read = async (result: BatchResult) => ({
    result,
    grade: result.grade_id === null ? null : await client.readGrade(result.grade_id, signal),
  })
  for await (const { result, grade } of inOrder(client.results(batch.id, signal), AT_ONCE, read)) {
    const label = labels.get(result.item_id)
    if (label === undefined) continue
    const human = answers.get(result.item_id) ?? {}
    const claimed = { ...grade?.claims, ...(grade !== null && { outcome: grade.outcome ?? grade.claimed_label }) }
    const { group, cluster, steps, agents } = label
    const item: JudgedItem = {
      ...{ item: result.item_id, group, cluster, steps, agents, human, claimed },
      status: result.status,
      confidence: grade?.confidence.reported ?? null,
    }
    judged.push({ item, result, grade })
    view.doing(`comparing: ${judged.length} of ${batch.counts.total}`)
  }
  return judged
}
