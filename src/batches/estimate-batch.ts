import type { OutputHistory } from '../domain/money/history.ts'
import type { Refused } from '../grading/service.ts'
import type { GradeStore } from '../ports/grade-ports.ts'
import type { Stores } from '../ports/ports.ts'
import type { BatchEstimate } from '../schemas/batch.ts'
import { type BatchPlan, withDefaults } from './batch-plan.ts'
import { estimateQuestion, type QuestionEstimate, type Spent } from './estimate.ts'
import { faultOf, type Incoming, type IntakeDeps, nothing, placed, tooMany, twice } from './intake.ts'

/** Estimates a batch without asking or keeping anything. Equal questions are asked once; questions with a stored grade cost nothing. */
export async function estimateBatch(
  deps: IntakeDeps & { readonly grades: GradeStore; readonly stores: Pick<Stores, 'attempts'> },
  plan: BatchPlan,
  items: AsyncIterable<Incoming>,
): Promise<{ readonly ok: true; readonly estimate: BatchEstimate } | Refused> {
  const keys = new Set<string>()
  const names = new Set<string>()
  const histories = new Map<string, OutputHistory>()
  let estimate = NO_ESTIMATE
  for await (const { item, place } of items) {
    // Other requests have a turn between two items.
    await new Promise(setImmediate)
    const name = item.item_id ?? String(names.size)
    if (names.has(name)) return twice(place)
    if (names.add(name).size > deps.most_items) return tooMany(deps.most_items, place)
    const request = withDefaults(item, plan)
    const resolved = await deps.service.resolve(request)
    if (!resolved.ok) return placed(resolved.refusal, place)
    const { question } = resolved
    const fault = faultOf(plan, question.judge)
    if (fault !== null) return fault
    const { key, judge } = question
    const isFree = plan.kind === 'recheck' || (await isStored(deps.grades, request, key))
    const free = freeAs(isFree, keys.has(key))
    keys.add(key)
    const history = histories.get(judge.info.name) ?? (await deps.stores.attempts.outputHistory(judge.info.name))
    histories.set(judge.info.name, history)
    const factor = plan.mode === 'provider' ? (judge.batch?.price_factor ?? 1) : 1
    estimate = addEstimate(estimate, judge.info.name, free ?? estimateQuestion(question, factor, history))
  }
  return names.size === 0 ? nothing(plan) : { ok: true, estimate }
}

const freeAs = (isStored: boolean, isEqual: boolean) => (isStored ? 'stored' : isEqual ? 'equal' : null)

const isStored = async (grades: GradeStore, request: { cache?: string }, key: Parameters<GradeStore['findByKey']>[0]) =>
  request.cache !== 'refresh' && (await grades.findByKey(key)) !== null

const ZERO = { expected: 0, most: 0 }

/** Estimate of a batch without items. */
export const NO_ESTIMATE: BatchEstimate = {
  ...{ items: 0, cached: 0, equal: 0, to_grade: 0 },
  ...{ calls: ZERO, input_tokens: ZERO, output_tokens: ZERO, cost_usd: ZERO },
  judges: [],
}

/** Adds one item. An item whose grade is stored, or that equals another item, costs nothing. One unknown cost makes the cost of the batch unknown. */
export function addEstimate(
  total: BatchEstimate,
  judge: string,
  estimate: QuestionEstimate | 'stored' | 'equal',
): BatchEstimate {
  const items = total.items + 1
  if (typeof estimate === 'string')
    return { ...total, items, cached: total.cached + 1, equal: total.equal + (estimate === 'equal' ? 1 : 0) }
  const { expected, most, is_priced, ...basis } = estimate
  const sum = (one: typeof ZERO, key: keyof Spent) => ({
    expected: one.expected + expected[key],
    most: one.most + most[key],
  })
  const known = total.judges.find((one) => one.judge === judge)
  const counted = { judge, ...(known ?? basis), items: (known?.items ?? 0) + 1 }
  return {
    ...total,
    items,
    to_grade: total.to_grade + 1,
    calls: sum(total.calls, 'calls'),
    input_tokens: sum(total.input_tokens, 'input'),
    output_tokens: sum(total.output_tokens, 'output'),
    cost_usd: total.cost_usd === null || !is_priced ? null : sum(total.cost_usd, 'usd'),
    judges:
      known === undefined ? [...total.judges, counted] : total.judges.map((one) => (one === known ? counted : one)),
  }
}
