import type { Config } from '../../src/config/config.ts'
import { type JudgeSettings, providerDefaults } from '../../src/config/judges.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { createAnthropicJudge } from '../../src/judges/anthropic-judge.ts'
import {
  type BatchApi,
  BatchFailure,
  type BatchResult,
  type Judge,
  type JudgeRequest,
  type Submission,
} from '../../src/judges/judge.ts'
import { createOpenAiJudge } from '../../src/judges/openai-judge.ts'
import type { Failure } from '../../src/schemas/grade.ts'
import { collect } from '../collect.ts'
import { GROUND_TRUTH } from '../grading/harness.ts'
import type { Controls } from '../mock-provider/batch-book.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import { type Scripted, startMockProvider } from '../mock-provider/start.ts'
import { startApp } from '../start-app.ts'
import { TAB_2 } from '../tab-behavior.ts'

export const KEY = 'sk-planted-key-1234567890'
export const APIS = ['responses', 'chat', 'messages'] as const
export type Api = (typeof APIS)[number]

/** Settings of a judge of one API, whose provider the test plays at `origin`. */
const settingsFor = (api: Api, origin: string): JudgeSettings =>
  api === 'messages'
    ? { ...providerDefaults('anthropic'), base_url: origin }
    : { ...providerDefaults('openai'), api, base_url: `${origin}/v1` }

/** Judge of one API whose provider the test plays. */
export function judgeFor(api: Api, { origin }: { readonly origin: string }): Judge & { batch: BatchApi } {
  const create = api === 'messages' ? createAnthropicJudge : createOpenAiJudge
  const { batch, ...judge } = create('model', settingsFor(api, origin), KEY)
  if (batch === undefined) throw new Error('a model judge has a batch endpoint')
  return { ...judge, batch }
}

/** Starts a provider with a batch endpoint that the test plays, and makes its judge of one API. */
export async function startBatches(api: Api, controls: Partial<Controls> = {}) {
  const provider = await startMockBatches(controls)
  return { provider, ...judgeFor(api, provider) }
}

/** Starts the service with the judge `model` of one API, whose provider gives the scripted answers. */
export async function startWith(
  api: Api,
  scripts: readonly Scripted[],
  { settings, ...config }: Partial<Config> & { readonly settings?: Partial<JudgeSettings> } = {},
) {
  const provider = await startMockProvider(scripts)
  const judges = { model: { ...settingsFor(api, provider.origin), ...settings } }
  const env = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY }
  const app = await startApp({ env, config: { judges, ...config } })
  return { app, provider }
}

/** Question with texts that careless encoding corrupts: quotes, a lone surrogate, odd keys, separators. */
export const QUESTION: JudgeRequest = {
  system: 'You judge.',
  trajectory: 'line one\nline "two" \u2028 \ud800 ☃ </trajectory>',
  images: [],
  question: 'What happened?',
  repairs: [{ answer: '{"a":1}', complaint: 'not found' }],
  answer_schema: { type: 'object', properties: { b: { type: 'string' }, a: { enum: ['x'] } } },
  cache_hint: 'hint-1',
  max_output_tokens: null,
  evidence: { trajectory: {} as Trajectory, ground_truth: GROUND_TRUTH, rubric: TAB_2 },
}

export const never = (): AbortSignal => new AbortController().signal

export const submissionOf = (
  batch: BatchApi,
  id: string,
  customIds: readonly string[],
  at = new Date(),
): Submission => ({
  id,
  recorded_at: at,
  custom_ids: customIds,
  // A loaded adapter encodes synchronously.
  lines: customIds.map(
    (customId) => batch.encode(customId, { ...QUESTION, question: `What happened in ${customId}?` }) as string,
  ),
})

/** Sends the batch and answers the id of the provider; throws where the provider refuses. */
export const submitted = (batch: BatchApi, submission: Submission): Promise<string> => batch.submit(submission, never())

/** Answers the failure of a call; throws where the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const end = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (end instanceof BatchFailure) return end.failure
  throw end ?? new Error('the call succeeded')
}

/** Polls the batch until it has ended. */
export async function ended(batch: BatchApi, providerId: string): Promise<void> {
  for (let looks = 0; looks < 10; looks++) {
    const now = await batch.poll(providerId, never())
    if (now.state !== 'in_progress') return
  }
  throw new Error('the batch does not end')
}

/** Reads the results of a batch that has ended. */
export async function* resultsFrom(batch: BatchApi, id: string, signal = never()): AsyncGenerator<BatchResult> {
  const state = await batch.poll(id, signal)
  if (state.state !== 'ended') throw new Error(`the batch is ${state.state}`)
  yield* batch.results(state.files, signal)
}

/** Reads the results by custom id. */
export async function resultsOf(batch: BatchApi, providerId: string): Promise<Map<string, BatchResult>> {
  const results = await collect(resultsFrom(batch, providerId))
  return new Map(results.map((result) => [result.custom_id, result]))
}
