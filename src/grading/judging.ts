import type { Freshness } from '../db/attempts.ts'
import type { Caps } from '../db/spending.ts'
import type { Stores } from '../db/stores.ts'
import type { Clock } from '../ports/clock.ts'
import type { Grade } from '../schemas/grade.ts'
import type { TrialMetadata } from '../schemas/trial.ts'
import { askByCall, askHere, askStored } from './ask.ts'
import { askByProvider } from './ask-provider.ts'
import { type Asker, Suspended } from './asker.ts'
import { assembleGrade } from './assemble.ts'
import type { Lane } from './lane.ts'
import type { RetryBudget, RetryPolicy } from './retry.ts'
import { gradeSample } from './sample.ts'
import type { SampleResult } from './sample-calls.ts'
import type { GradingJob, Judged, Question } from './service.ts'

export interface JudgingDeps {
  readonly stores: Stores
  readonly clock: Clock
  readonly retry: RetryPolicy
  readonly random: () => number
  readonly newId: (prefix: string) => string
  readonly laneOf: (judge: string) => Lane
  readonly budgetOf: (judge: string) => RetryBudget
  /** Grades that this process makes: their replies are theirs. */
  readonly making: Set<string>
  /** Hard cap of a day (UTC) for all calls together. */
  readonly day_cap_usd: number | null
}

/**
 * Asks for every sample, assembles the grade and stores it: the only writer of grades.
 */
export async function judgeQuestion(
  deps: JudgingDeps,
  question: Question,
  metadata: TrialMetadata,
  job: GradingJob,
  freshness: Freshness,
): Promise<Judged> {
  const asked = job.way === 'stored' ? await asAsked(deps, question, job.grade_id) : question
  const ask = await askerFor(deps, asked, job, freshness)
  const sampling = { ask, clock: deps.clock, deadline_ms: deps.retry.deadline_ms }
  deps.making.add(question.grade_id)
  try {
    const samples = await gradeSamples((index) => gradeSample(sampling, asked, index), asked, job)
    if (samples === null) return { kind: 'waiting' }
    const passing = samples.find((sample) => sample.kind === 'failed' && job.isPassing(sample.failure))
    if (passing?.kind === 'failed') return { kind: 'passed_over', failure: passing.failure }
    const made = assembleGrade(asked, samples, metadata, deps.clock.now(), MODES[job.way])
    const grade = job.way === 'stored' ? await underOldName(deps, made, job.grade_id) : made
    await deps.stores.grades.put({
      grade,
      ground_truth: question.ground_truth,
      ...(job.item !== null && { item: job.item }),
      ...(job.way === 'stored' && { silent: true }),
    })
    return { kind: 'graded', grade, cached: false }
  } finally {
    deps.making.delete(question.grade_id)
  }
}

/** A stored reply is held against what its judge was shown when it gave it: whether today’s configuration would show pictures says nothing of it. */
async function asAsked(deps: JudgingDeps, question: Question, baseId: string): Promise<Question> {
  const base = await deps.stores.grades.get(baseId)
  const images = (base?.receipt.coverage.media_shown ?? 0) > 0
  const { judge } = question
  return { ...question, judge: { ...judge, info: { ...judge.info, images } } }
}

/** As a receipt says by which way the answers came. */
const MODES = { call: 'direct', provider: 'provider', stored: 'stored' } as const

/** A recheck keeps the judge that gave the answer, and the question that it was asked. */
async function underOldName(deps: JudgingDeps, grade: Grade, baseId: string): Promise<Grade> {
  const base = await deps.stores.grades.get(baseId)
  if (base === null) return grade
  const { key, judge, provider, model_requested, settings = null } = base.receipt
  return { ...grade, receipt: { ...grade.receipt, key, judge, provider, model_requested, settings } }
}

async function askerFor(deps: JudgingDeps, { judge }: Question, job: GradingJob, freshness: Freshness): Promise<Asker> {
  const { making } = deps
  const { attempts, provider } = deps.stores
  if (job.way === 'stored') return askStored(await attempts.listReplies(job.grade_id))
  const { payer } = job
  const caps: Caps = {
    batch_usd: job.cap_usd,
    key_usd: payer?.max_cost_usd_per_day ?? null,
    day_usd: deps.day_cap_usd,
  }
  if (job.way === 'provider' && judge.batch !== undefined) {
    const { clock, newId, retry } = deps
    const asking = { queue: provider, attempts, clock, newId, making, max_attempts: retry.max_attempts }
    return askByProvider(asking, judge, judge.batch, { item: job.item, payer, caps, freshness })
  }
  const account = { item: job.item, payer, caps, signal: job.signal, freshness }
  if (judge.info.kind === 'lexical') return askHere({ ...deps, attempts }, judge, account)
  const { name } = judge.info
  return askByCall({ ...deps, attempts, lane: deps.laneOf(name), budget: deps.budgetOf(name) }, judge, account)
}

/**
 * Null: some sample waits for the provider. The first sample is asked alone, so that the others find the trajectory in the provider’s
 * cache; a provider’s batch gets all at once.
 */
async function gradeSamples(
  grade: (index: number) => Promise<SampleResult>,
  question: Question,
  job: GradingJob,
): Promise<SampleResult[] | null> {
  const indexes = Array.from({ length: question.samples }, (_, index) => index)
  const first = job.way === 'provider' ? [] : [await grade(0)]
  // All of them end before any error is told: a call that goes on would be made again beside itself.
  const others = gathered(await Promise.allSettled(indexes.slice(first.length).map(grade)))
  if (others === null) return null
  return job.way === 'call' ? askAgainWithBudget(grade, [...first, ...others]) : [...first, ...others]
}

/** A sample that found no budget while others had reserved it is asked once more, alone: what they did not use is free again. */
async function askAgainWithBudget(
  grade: (index: number) => Promise<SampleResult>,
  samples: readonly SampleResult[],
): Promise<SampleResult[]> {
  const asked: SampleResult[] = []
  for (const [index, sample] of samples.entries()) {
    const lacksBudget =
      sample.kind === 'failed' && sample.failure.code === 'budget_exceeded' && sample.failure.retryable
    const again = lacksBudget && samples.length > 1 ? await grade(index) : null
    asked.push(again === null ? sample : { ...again, attempts: [...sample.attempts, ...again.attempts] })
  }
  return asked
}

function gathered(samples: readonly PromiseSettledResult<SampleResult>[]): SampleResult[] | null {
  const broken = samples.find((one) => one.status === 'rejected' && !(one.reason instanceof Suspended))
  if (broken?.status === 'rejected') throw broken.reason
  const done = samples.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  return done.length === samples.length ? done : null
}
