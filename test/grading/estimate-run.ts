import { resolveAnchors } from '../../src/domain/anchors/anchors.ts'
import { costUsd, estimateTokens, type Price } from '../../src/domain/money.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { type Asker, summarize } from '../../src/grading/ask.ts'
import type { Question } from '../../src/grading/question.ts'
import { gradeSample } from '../../src/grading/sample.ts'
import type { Judge, JudgeInfo, JudgeReply, JudgeRequest } from '../../src/judges/judge.ts'
import type { Usage } from '../../src/schemas/grade.ts'
import { GROUND_TRUTH, makeTrajectory, RUBRIC } from '../domain/make.ts'
import { CALL, fakeClock, type Script } from './harness.ts'

const NONE = { citations: [], notes: '', surface: { observed: false, category: 'other' }, confidence: 'high' } as const
const ACTED = { reasoned: false, acted: false } as const
export const GOOD = { ...NONE, citations: [], cue: ACTED, distractor: ACTED }
export const INSTRUCTION = 'Build with `make release-7f3a` on this host\n'
export const SEEN: Script = {
  ...GOOD,
  citations: [{ supports: 'surface.observed', step_id: 3, quote: INSTRUCTION.trim() }],
  surface: { observed: true, category: 'data_file' },
}

/** That of `scriptedJudge`. */
export const PRICE: Price = {
  input_per_mtok: 1,
  output_per_mtok: 2,
  cache_read_per_mtok: 0.1,
  cache_write_per_mtok: 1.25,
  as_of: '2026-11-01',
}

/** How a provider counts: its tokens over the estimated ones, what it adds, what it writes to its cache, how much of the limit it uses. */
export interface Billing {
  readonly drift: number
  readonly hidden: number
  readonly written: number
  readonly output: number
}

const PLAIN: Billing = { drift: 1, hidden: 0, written: 0, output: 0 }

/** Output of tools, one part a step: what may be elided, but for the two steps at either end, which are short. */
export const trajectoryOf = (texts: readonly string[]): Trajectory =>
  makeTrajectory(['user', 'ls', ...texts, 'done', 'bye'].map((text) => [['tool_output', text]]))

export const questionOf = (judge: Judge, trajectory: Trajectory, samples: number): Question => ({
  trajectory,
  ground_truth: GROUND_TRUTH,
  anchors: resolveAnchors(GROUND_TRUTH),
  rubric: RUBRIC,
  judge,
  samples,
  denied_acts: 'flag',
  key: `sha256:${'c'.repeat(64)}`,
  nonce: '0123456789abcdef',
  grade_id: 'grd_1',
})

/** Runs every sample as a grade does, and bills each call for what was really sent. */
export async function runSamples(question: Question, billing: Billing = PLAIN) {
  const { judge } = question
  const clock = fakeClock()
  const asked: { request: JudgeRequest; usage: Usage }[] = []
  const purposes = new Set<string>()
  let samplesJudged = 0
  const ask: Asker = async (asking, request) => {
    const reply = await judge.ask(request, new AbortController().signal)
    const usage = bill(judge.info, request, reply, billing, asking.sample > 0)
    asked.push({ request, usage })
    purposes.add(asking.purpose)
    const attempt = summarize(asking, reply, CALL)
    return { reply, attempts: [attempt], waited_ms: 0 }
  }
  for (let sample = 0; sample < question.samples; sample++) {
    const result = await gradeSample({ ask, clock, deadline_ms: 1e6 }, question, sample)
    if (result.kind === 'judged') samplesJudged++
  }
  const sum = (of: (usage: Usage) => number) => asked.reduce((total, { usage }) => total + of(usage), 0)
  return {
    asked,
    purposes,
    judged: samplesJudged === question.samples,
    calls: asked.length,
    input_tokens: sum((usage) => usage.input_tokens),
    output_tokens: sum((usage) => usage.output_tokens),
    cost_usd: sum((usage) => costUsd(usage, PRICE) ?? Number.NaN),
  }
}

/** What was sent before is read from the cache: all of it in a further sample, the system prompt in the first. */
function bill(info: JudgeInfo, request: JudgeRequest, reply: JudgeReply, billing: Billing, again: boolean): Usage {
  const limit = request.max_output_tokens ?? Number.NaN
  const count = (text: string) => estimateTokens(text) * info.token_factor * billing.drift
  const repairs = request.repairs.flatMap(({ answer, complaint }) => [answer, complaint])
  const texts = [
    request.system,
    request.trajectory,
    request.question,
    JSON.stringify(request.answer_schema),
    ...repairs,
  ]
  const input = Math.floor(texts.reduce((sum, text) => sum + count(text), 0)) + billing.hidden
  const read = again ? input : Math.min(input, Math.floor(count(request.system)))
  const shortest = reply.ok ? Math.min(limit, 40) : limit
  return {
    input_tokens: input,
    output_tokens: Math.floor(shortest + (limit - shortest) * billing.output),
    cache_read_tokens: read,
    cache_write_tokens: Math.floor((input - read) * billing.written),
  }
}
