import type { BatchResult } from '../schemas/batch.ts'
import type { Grade } from '../schemas/grade.ts'
import type { Client } from './client.ts'
import { ServiceError } from './service-error.ts'

/** What says how far a label can be trusted: the part of its grade that results show. */
export type GradeDetail = Pick<Grade, 'confidence' | 'contradictions' | 'unmet' | 'claimed_label'> & {
  /** Dollars; null where a call has no price. */
  readonly cost_usd: number | null
}

export interface DetailedResult {
  readonly result: BatchResult
  /** Null where there is no grade. */
  readonly detail: GradeDetail | null
}

/** How many grades are asked for at once. */
const AT_ONCE = 16

/** Results with their grades, in the order that they come; no more than `AT_ONCE` of them are held. */
export async function* withDetails(
  client: Pick<Client, 'readGrade'>,
  results: AsyncIterable<BatchResult>,
  signal?: AbortSignal,
): AsyncGenerator<DetailedResult> {
  const waiting: Promise<DetailedResult>[] = []
  for await (const result of results) {
    const detailed = readDetail(client, result, signal).then((detail) => ({ result, detail }))
    // Awaited in order below; until then a refusal is nobody’s unhandled rejection.
    detailed.catch(() => {})
    waiting.push(detailed)
    const first = waiting.length >= AT_ONCE ? waiting.shift() : undefined
    if (first !== undefined) yield await first
  }
  for (const detailed of waiting) yield await detailed
}

async function readDetail(
  client: Pick<Client, 'readGrade'>,
  { grade_id }: BatchResult,
  signal?: AbortSignal,
): Promise<GradeDetail | null> {
  if (grade_id === null) return null
  try {
    return detailOf(await client.readGrade(grade_id, signal))
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  }
}

export const detailOf = ({ confidence, contradictions, unmet, claimed_label, receipt }: Grade): GradeDetail => ({
  confidence,
  contradictions,
  unmet,
  claimed_label,
  cost_usd: receipt.cost_usd,
})

/** `high`, `low capped` (by a contradiction), `high 80%` (of the votes). */
export function confidenceText({ confidence }: GradeDetail): string {
  const { reported, source, vote_share } = confidence
  const share = vote_share === null ? '' : `${Math.round(vote_share * 100)}%`
  return [reported ?? '', source === 'capped' ? 'capped' : '', share].filter((one) => one !== '').join(' ') || '–'
}
