import type { ItemOutcome } from '../../grading/service.ts'
import type { ItemEnd } from '../../ports/batch-ports.ts'
import type { Failure } from '../../schemas/grade.ts'

/** What a run at an item came to; `broken`: something unexpected was thrown. */
export type RunOutcome = ItemOutcome | { readonly kind: 'broken' }

/** How an outcome settles its item; null where the unit of work that stored the grade has done so, or where it goes on. */
export function endOf(outcome: RunOutcome): ItemEnd | null {
  if (outcome.kind === 'waiting' || outcome.kind === 'passed_over') return null
  if (outcome.kind === 'broken') return failed('internal', 'something went wrong here; the log has it')
  if (outcome.kind === 'refused') {
    const { code, detail, errors } = outcome.refusal
    const place = errors[0] === undefined ? '' : ` (${errors[0].path}: ${errors[0].message})`
    return failed(code === 'not_cached' ? 'cancelled' : 'internal', `${detail}${place}`)
  }
  const { grade, cached } = outcome
  if (grade.status === 'failed' && grade.failure !== null)
    return { status: 'failed', failure: grade.failure, grade_id: grade.id }
  if (!cached) return null
  return grade.label === null
    ? { status: 'unverified', grade_id: grade.id, cached }
    : { status: 'graded', label: grade.label, grade_id: grade.id, cached }
}

/** What a configuration lacks can be given back: no item ends by it. */
const UNCONFIGURED: readonly string[] = ['unknown_judge', 'unknown_rubric']

/** Why the batch has to wait for a configuration that it was made with; null: it need not. */
export function lackOf(outcome: RunOutcome): string | null {
  if (outcome.kind !== 'refused' || !UNCONFIGURED.includes(outcome.refusal.code)) return null
  const { detail, errors } = outcome.refusal
  return `${detail} as an item names (${errors[0]?.message ?? ''}): configure it as before, then resume`
}

const failed = (code: Failure['code'], message: string): ItemEnd => ({
  status: 'failed',
  failure: { code, message, retryable: false, retry_after_s: null },
  grade_id: null,
})
