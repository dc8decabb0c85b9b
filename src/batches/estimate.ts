import type { OutputHistory } from '../domain/money/history.ts'
import type { Refused } from '../grading/resolve.ts'
import type { GradeStore } from '../ports/grade-ports.ts'
import type { Stores } from '../ports/ports.ts'
import type { BatchEstimate } from '../schemas/batch.ts'
import { type BatchPlan, withDefaults } from './batch-plan.ts'
import { addEstimates, estimateQuestion, NO_ESTIMATE } from './estimate/estimate.ts'
import { faultOf, type Incoming, type IntakeDeps, nothing, placed, tooMany, twice } from './intake.ts'

/**
 * What a batch would take, without asking and without keeping anything. Equal questions are asked once, and what a stored grade
 * answers costs nothing.
 */
export async function estimateBatch(
  deps: IntakeDeps & { readonly grades: GradeStore; readonly stores: Pick<Stores, 'attempts'> },
  plan: BatchPlan,
  items: AsyncIterable<Incoming>,
): Promise<{ readonly ok: true; readonly estimate: BatchEstimate } | Refused> {
  const now = deps.clock.now()
  const keys = new Set<string>()
  const names = new Set<string>()
  const histories = new Map<string, OutputHistory>()
  let estimate = NO_ESTIMATE
  for await (const { item, place } of items) {
    // Nothing here waits for anything: others have a turn between two items.
    await new Promise(setImmediate)
    const name = item.item_id ?? String(names.size)
    if (names.has(name)) return twice(place)
    if (names.add(name).size > deps.most_items) return tooMany(deps.most_items, place)
    const request = withDefaults(item, plan)
    const resolved = await deps.service.resolve(request)
    if (!resolved.ok) return placed(resolved.refusal, place)
    const { question } = resolved
    const fault = faultOf(deps, plan, question.judge)
    if (fault !== null) return fault
    const factor = plan.mode === 'provider' ? (question.judge.batch?.price_factor ?? 1) : 1
    const isKept = plan.kind === 'recheck' || (await isStored(deps.grades, request, question.key))
    const free = freeAs(isKept, keys.has(question.key))
    keys.add(question.key)
    const judge = question.judge.info.name
    const history = histories.get(judge) ?? (await deps.stores.attempts.outputHistory(judge))
    histories.set(judge, history)
    estimate = addEstimates(estimate, judge, free ?? estimateQuestion(question, now, factor, history))
  }
  return names.size === 0 ? nothing(plan) : { ok: true, estimate }
}

const freeAs = (isKept: boolean, isEqual: boolean) => (isKept ? 'stored' : isEqual ? 'equal' : null)

const isStored = async (grades: GradeStore, request: { cache?: string }, key: Parameters<GradeStore['findByKey']>[0]) =>
  request.cache !== 'refresh' && (await grades.findByKey(key)) !== null
