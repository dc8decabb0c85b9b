import type { ItemRef } from '../db/items.ts'
import type { Freshness, Payer } from '../db/ledger.ts'
import type { Stores } from '../db/stores.ts'
import type { Failure, Grade } from '../schemas/grade.ts'
import type { TrialMetadata } from '../schemas/trial.ts'
import { type AskDeps, type Asker, askByProvider, askHere, askStored, Suspended } from './ask.ts'
import { askByCall } from './ask-by-call.ts'

import { assembleGrade } from './assemble.ts'
import type { SampleResult } from './calls.ts'
import type { Lane } from './lane.ts'
import type { Question } from './question.ts'
import { gradeSample } from './sample.ts'

/** For whom a question is asked, and by which way its answers come. */
export type GradingJob = Job &
  (
    | { readonly way: 'call' }
    /** Through the provider’s batch endpoint. */
    | { readonly way: 'provider'; readonly item: ItemRef }
    /** From the stored replies of a grade: no judge is asked. */
    | { readonly way: 'stored'; readonly grade_id: string }
  )

interface Job {
  /** Of a batch; null: one request, whose caller waits. */
  readonly item: ItemRef | null
  readonly payer: Payer | null
  /** Ends the waiting for a turn, or for a retry: calls in flight go on. */
  readonly signal: AbortSignal | undefined
  /** Hard cap of the batch. */
  readonly cap_usd: number | null
  /** Failures after which the item is asked again later: then no grade is written, and good replies wait to be used. */
  readonly isPassing: (failure: Failure) => boolean
}

export type Judged =
  | { readonly kind: 'graded'; readonly grade: Grade; readonly cached: false }
  /** The questions of the item lie with the provider. */
  | { readonly kind: 'waiting' }
  /** The grade was not written: the item is to be asked again. */
  | { readonly kind: 'passed_over'; readonly failure: Failure }

export interface JudgingDeps extends Omit<AskDeps, 'attempts' | 'making'> {
  readonly stores: Stores
  readonly laneOf: (judge: string) => Lane
  readonly making: Set<string>
  /** Hard cap of a day (UTC) for all calls together. */
  readonly day_cap_usd: number | null
}

/** The words of a receipt for the way by which the answers came. */
const MODES = { call: 'direct', provider: 'provider', stored: 'stored' } as const

/** Asks for every sample, assembles the grade and stores it, once the trajectory is stored: the only writer of grades. */
export async function judgeQuestion(
  deps: JudgingDeps,
  question: Question,
  metadata: TrialMetadata,
  job: GradingJob,
  freshness: Freshness,
  saved: Promise<unknown>,
): Promise<Judged> {
  // A question that breaks off before its grade leaves the refusal of its trajectory alone.
  saved.catch(() => undefined)
  const base = job.way === 'stored' ? await deps.stores.grades.get(job.grade_id) : null
  const asked = base === null ? question : asAsked(question, base)
  const ask = await askerFor(deps, asked, job, freshness)
  const sampling = { ask, clock: deps.clock, deadline_ms: deps.retry.deadline_ms }
  deps.making.add(question.grade_id)
  try {
    const samples = await gradeSamples((index) => gradeSample(sampling, asked, index), asked, job)
    if (samples === null) return { kind: 'waiting' }
    const passing = samples.find((sample) => sample.kind === 'failed' && job.isPassing(sample.failure))
    if (passing?.kind === 'failed') return { kind: 'passed_over', failure: passing.failure }
    const made = assembleGrade(asked, samples, metadata, deps.clock.now(), MODES[job.way])
    const grade = base === null ? made : underOldName(made, base)
    await saved
    await deps.stores.grades.put({
      ...{ grade, ground_truth: question.ground_truth },
      ...(job.item !== null && { item: job.item }),
      ...(job.way === 'stored' && { silent: true }),
    })
    return { kind: 'graded', grade, cached: false }
  } finally {
    deps.making.delete(question.grade_id)
  }
}

/** A stored reply is held against the pictures that its judge was shown: whether today’s configuration would show pictures says nothing of it. */
const asAsked = ({ judge, ...question }: Question, { receipt }: Grade): Question => ({
  ...question,
  judge: { ...judge, info: { ...judge.info, images: (receipt.coverage.media_shown ?? 0) > 0 } },
})

/** A recheck keeps the judge that gave the answer, and the question that it was asked. */
function underOldName(grade: Grade, { receipt }: Grade): Grade {
  const { key, judge, provider, model_requested, settings = null } = receipt
  return { ...grade, receipt: { ...grade.receipt, key, judge, provider, model_requested, settings } }
}

async function askerFor(deps: JudgingDeps, { judge }: Question, job: GradingJob, freshness: Freshness): Promise<Asker> {
  const { attempts, provider: queue } = deps.stores
  if (job.way === 'stored') return askStored(await attempts.listReplies(job.grade_id))
  const { item, payer, signal } = job
  const caps = { batch_usd: job.cap_usd, key_usd: payer?.max_cost_usd_per_day ?? null, day_usd: deps.day_cap_usd }
  const account = { item, payer, caps, signal, freshness }
  if (job.way === 'provider' && judge.batch !== undefined)
    return askByProvider({ ...deps, queue, attempts }, judge, judge.batch, { ...account, item: job.item })
  if (judge.info.kind === 'lexical') return askHere({ ...deps, attempts }, judge, account)
  return askByCall({ ...deps, attempts, lane: deps.laneOf(judge.info.name) }, judge, account)
}

/**
 * Grades the samples; null while a sample waits for the provider. The first sample is asked alone, so that the others find the trajectory in the
 * provider’s cache; a provider’s batch gets all at once.
 */
async function gradeSamples(
  grade: (index: number) => Promise<SampleResult>,
  { samples }: Question,
  { way }: GradingJob,
): Promise<SampleResult[] | null> {
  const first = way === 'provider' ? [] : [await grade(0)]
  const others = Array.from({ length: samples - first.length }, (_, index) => grade(first.length + index))
  // All of them end before any error is told: a call that goes on would be made again beside itself.
  const ends = await Promise.allSettled(others)
  const broken = ends.find((end) => end.status === 'rejected' && !(end.reason instanceof Suspended))
  if (broken?.status === 'rejected') throw broken.reason
  const done = [...first, ...ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))]
  if (done.length < samples) return null
  return way === 'call' && samples > 1 ? askAgainWithBudget(grade, done) : done
}

/** Asks a sample once more, alone, that found no budget while others had reserved it: the budget that they did not use is free again. */
async function askAgainWithBudget(
  grade: (index: number) => Promise<SampleResult>,
  samples: readonly SampleResult[],
): Promise<SampleResult[]> {
  const asked: SampleResult[] = []
  for (const [index, sample] of samples.entries()) {
    const lacksBudget =
      sample.kind === 'failed' && sample.failure.code === 'budget_exceeded' && sample.failure.retryable
    const again = lacksBudget ? await grade(index) : null
    asked.push(again === null ? sample : { ...again, attempts: [...sample.attempts, ...again.attempts] })
  }
  return asked
}
