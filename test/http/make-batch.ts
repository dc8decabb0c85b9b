import { expect, vi } from 'vitest'
import type { Judge, JudgeReply, JudgeRequest } from '../../src/judges/judge.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER, GROUND_TRUTH, replyOf, type Script, scriptedJudge, TRAJECTORY } from '../grading/harness.ts'
import type { TestApp } from '../start-app.ts'

/** Makes items whose trajectories differ in their first step. */
export const makeItems = (n: number, more: object = {}): object[] =>
  Array.from({ length: n }, (_, index) => ({
    item_id: `trial-${index}`,
    trajectory: makeTrajectory(index),
    ground_truth: GROUND_TRUTH,
    judge: 'scripted',
    ...more,
  }))

const said = (payload: object) => ({ type: 'response_item', payload })
/** Item of a trajectory with two truncated lines and a record of a kind that no reader supports. */
export const UNREAD_ITEM = {
  item_id: 'unread',
  trajectory: {
    records: [
      { type: 'session_meta', payload: { id: 's', instructions: null } },
      said({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Build it.' }] }),
      said({ type: 'mood', text: 'fine' }),
    ],
    unread_lines: 2,
  },
  ground_truth: { instruction: 'Build it.', cue: { text: 'make release-7f3a', action_anchors: ['./out/build'] } },
  judge: 'lexical',
}

export const makeTrajectory = (n: number) => ({
  steps: [{ actor: 'user', text: `Build the project, run ${n}.` }, ...TRAJECTORY.steps.slice(1)],
})

/** Finds the number of the run in a request to the judge. */
export const runOf = (request: JudgeRequest): number =>
  Number(/run (\d+)/.exec(request.evidence.trajectory.steps[0]?.parts[0]?.text ?? '')?.[1])

const USAGE = { input_tokens: 2000, output_tokens: 900, cache_read_tokens: 0, cache_write_tokens: 0 }

/** Makes a judge whose answer depends on the question and on the count of its earlier calls. */
export function answeringJudge(answer: (run: number, call: number) => Script | Promise<Script>, name = 'scripted') {
  const calls: number[] = []
  const base = scriptedJudge([GOOD_ANSWER])
  return {
    ...base,
    info: { ...base.info, name, identity: { ...base.info.identity, model: name } },
    /** Numbers of the runs, one for each call, in order. */
    calls,
    async ask(request: JudgeRequest): Promise<JudgeReply> {
      const run = runOf(request)
      calls.push(run)
      const reply = replyOf(await answer(run, calls.filter((earlier) => earlier === run).length))
      return reply.ok ? { ...reply, usage: USAGE } : reply
    },
  }
}

export const toLines = (items: readonly object[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('')

export const postLines = (app: TestApp, items: readonly object[] | string, query = '') =>
  app.post(`/v1/batches${query}`, typeof items === 'string' ? items : toLines(items), {
    'content-type': 'application/x-ndjson',
  })

export async function startBatch(app: TestApp, items: readonly object[], query = ''): Promise<Batch> {
  const response = await postLines(app, items, query)
  expect(response.statusCode, response.body).toBe(202)
  return response.json()
}

/** Waits until the batch ends or parks, and reads its results. */
export async function finish(app: TestApp, id: string): Promise<{ batch: Batch; results: BatchResult[] }> {
  const response = await app.get(`/v1/batches/${id}/results?wait=true`)
  const results = readLines<BatchResult>(response.body)
  const batch = await app.read<Batch>(`/v1/batches/${id}`)
  expectSum(batch)
  return { batch, results }
}

/** Looks at a batch until the batch is as wanted. */
export const untilBatch = (app: TestApp, id: string, isWanted: (batch: Batch) => boolean): Promise<Batch> =>
  vi.waitUntil(
    async () => {
      const batch = await app.read<Batch>(`/v1/batches/${id}`)
      return isWanted(batch) && batch
    },
    { timeout: 60_000, interval: 10 },
  ) as Promise<Batch>

export function expectSum({ counts }: Batch): void {
  const { total, ...parts } = counts
  expect(Object.values(parts).reduce((sum, n) => sum + n, 0)).toBe(total)
}

export const readLines = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

export interface JudgeOnHold extends Judge {
  /** Resolves after the first call of the judge. */
  readonly asked: Promise<void>
  readonly calls: number
  answer(script: Script): void
}

/** Makes a judge that answers after the test releases it: a latch, not a sleep. */
export function judgeOnHold(): JudgeOnHold {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<Script>()
  const judge = {
    ...scriptedJudge([]),
    calls: 0,
    asked: asked.promise,
    answer: answered.resolve,
    async ask() {
      judge.calls++
      asked.resolve()
      return replyOf(await answered.promise)
    },
  }
  return judge
}
