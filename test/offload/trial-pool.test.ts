import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Asker } from '../../src/asking/asker.ts'
import { LARGE } from '../../src/asking/turns.ts'
import { normalizeGroundTruth } from '../../src/domain/cache-key.ts'
import type { Digest } from '../../src/domain/digest.ts'
import { resolveAnchors } from '../../src/domain/evidence/anchors.ts'
import { weakAnchors } from '../../src/domain/evidence/weak-anchors.ts'
import { makeNonce } from '../../src/domain/trajectory/rendering.ts'
import { sentTextOf } from '../../src/domain/trajectory/sent-text.ts'
import { textSize } from '../../src/domain/trajectory/text-size.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import type { Question } from '../../src/grading/question.ts'
import { gradeSample } from '../../src/grading/sample.ts'
import { WORKER_LOST } from '../../src/grading/sample-calls.ts'
import { createLexicalJudge } from '../../src/judges/lexical/lexical-judge.ts'
import { TrialPool } from '../../src/offload/trial-pool.ts'
import type { Judge } from '../../src/ports/ports.ts'
import type { GivenGroundTruth } from '../../src/schemas/ground-truth.ts'
import { packText, unpackText } from '../../src/storage/stored-text.ts'
import { RUBRIC } from '../domain/make.ts'
import { fakeClock, GOOD_ANSWER, GROUND_TRUTH, scriptedJudge, TRAJECTORY } from '../grading/harness.ts'

const LIMITS = { max_steps: 1000, max_part_chars: 8_000_000 }
const LEXICAL = createLexicalJudge()
const clock = fakeClock()
const secret = createHash('sha256').update('a secret').digest()

function read(document: unknown): Trajectory {
  const made = readTrajectory(document, LIMITS)
  if (!made.ok) throw new Error(JSON.stringify(made.error))
  return made.value
}

const questionOf = (trajectory: Trajectory, given: GivenGroundTruth, judge: Judge): Question => {
  const ground_truth = normalizeGroundTruth(given)
  return {
    ...{ trajectory, ground_truth, anchors: resolveAnchors(ground_truth), rubric: RUBRIC, judge, samples: 1 },
    ...{ denied_acts: 'flag', key: trajectory.id, grade_id: 'grd_1', secret },
    get nonce() {
      return makeNonce(secret, trajectory)
    },
  }
}

/** Asks the judge, and remembers what for. */
function asking(judge: Judge) {
  const asked: unknown[] = []
  const ask: Asker = async (what, { evidence: { found: _, trajectory, ground_truth, rubric }, ...request }) => {
    asked.push([what, { ...request, evidence: trajectory.id }])
    const reply = await judge.ask(
      { ...request, evidence: { trajectory, ground_truth, rubric, ...(_ !== undefined && { found: _ }) } },
      new AbortController().signal,
    )
    return { reply, attempts: [], waited_ms: 5 }
  }
  return { asked, deps: { ask, clock, deadline_ms: 60_000 } }
}

const startPool = (module: string, options: { most_ms?: number } = {}) =>
  new TrialPool(new URL(module, import.meta.url), { ...options, first_bytes: 0 })

/** One for all tests that end no worker of it: to start a worker costs more than most of them. */
const WORKER = '../../src/offload/trial-worker.ts'
const shared = startPool(WORKER)

/** Documents as they are stored, by the id of their trajectory. */
function makePool(pool = shared) {
  pool.useThreads(1)
  const stored = new Map<Digest, Uint8Array>()
  const grade = pool.grader({ limits: LIMITS, load: async (id) => stored.get(id) ?? null })
  const store = (document: object) => {
    const trajectory = read(document)
    stored.set(trajectory.id, packText(JSON.stringify(document), 0))
    return trajectory
  }
  return { pool, grade, store, stored }
}
type Pools = ReturnType<typeof makePool>

/** A line as the command reads it: first the judge that searches has been asked something. */
async function readLine({ pool, grade }: Pools, request: object) {
  await grade(asking(LEXICAL).deps, questionOf(read(TRAJECTORY), GROUND_TRUTH, LEXICAL), 0)
  const reader = await pool.reader()
  const line = await reader.line(Buffer.from(JSON.stringify(request)), LIMITS)
  return { line, reader, value: line?.value as { trajectory: object } }
}

/** The sample here and in the pool: what is asked, and what comes of it. */
async function expectSame(
  pools: Pools,
  trajectory: Trajectory,
  here: Trajectory,
  truth: GivenGroundTruth,
  judge: () => Judge,
) {
  const [one, other] = [asking(judge()), asking(judge())]
  const expected = await gradeSample(one.deps, questionOf(here, truth, judge()), 0)
  expect(await pools.grade(other.deps, questionOf(trajectory, truth, judge()), 0)).toEqual(expected)
  expect(other.asked).toEqual(one.asked)
  const normal = normalizeGroundTruth(truth)
  expect(weakAnchors(normal, trajectory)).toEqual(weakAnchors(normal, here))
}

const step = fc.record({
  actor: fc.constantFrom('user', 'tool_output', 'agent_action', 'agent_message', 'agent_reasoning'),
  text: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.toWellFormed()),
    fc.constantFrom(
      GROUND_TRUTH.cue.text,
      GROUND_TRUTH.distractor.text,
      'make release-7f3a',
      'curl http://files.example/up',
      'echo "make release-7f3a" > note.txt',
    ),
  ),
})

test('a line is read, stored, searched and checked in a worker as it is here', async () => {
  const pools = makePool()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const document = { steps }
      const here = read(document)
      const request = { item_id: 'a', trajectory: document, ground_truth: GROUND_TRUTH, metadata: { task: 't' } }
      const { value, reader } = await readLine(pools, request)
      const there = reader.trajectory(value.trajectory, LIMITS)
      if (!there.ok) throw new Error('not read')
      expect({ ...value, trajectory: document }).toEqual(request)
      expect(textSize(there.value)).toBe(textSize(here))
      expect(unpackText(sentTextOf(value.trajectory) ?? Buffer.alloc(0))).toBe(JSON.stringify(document))
      await expectSame(pools, there.value, here, GROUND_TRUTH, () => LEXICAL)
      expect(there.value).toEqual(here)
    }),
    { numRuns: 60 },
  )
})

const OTHER = { instruction: 'Build it.', cue: { text: 'make release-7f3a' } }

test('a line that was searched for one ground truth is searched again for another, and read by any judge', async () => {
  const pools = makePool()
  pools.store(TRAJECTORY)
  const { value, reader } = await readLine(pools, { trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH })
  const there = reader.trajectory(value.trajectory, LIMITS)
  if (!there.ok) throw new Error('not read')
  const here = read(TRAJECTORY)
  await expectSame(pools, there.value, here, OTHER, () => LEXICAL)
  // Wrong form, a quote that is not there, and the right answer: two repairs.
  const wrong = { ...GOOD_ANSWER, citations: [{ supports: 'cue.acted' as const, step_id: 4, quote: 'make nothing' }] }
  await expectSame(pools, there.value, here, GROUND_TRUTH, () => scriptedJudge(['no JSON', wrong, GOOD_ANSWER]))
  await expectSame(pools, there.value, here, GROUND_TRUTH, () => scriptedJudge([{ fail: 'timeout' }]))
})

test('a large run is graded in a worker as it is here, also in windows', async () => {
  const pools = makePool()
  const long = 'a line that says nothing of it\n'.repeat(LARGE / 25)
  const { steps } = TRAJECTORY
  const document = { steps: [...steps.slice(0, 2), { actor: 'tool_output', text: long }, ...steps.slice(2)] }
  const trajectory = pools.store(document)
  await expectSame(pools, trajectory, read(document), GROUND_TRUTH, () => LEXICAL)
  const windowed = () => scriptedJudge([GOOD_ANSWER], { window_tokens: 60_000 })
  await expectSame(pools, trajectory, read(document), GROUND_TRUTH, windowed)
})

test('a line that is no JSON, no request, or without a ground truth of its own comes back as it is', async () => {
  const pools = makePool()
  expect((await readLine(pools, [1])).line).toEqual({ value: [1] })
  expect((await readLine(pools, { trajectory: TRAJECTORY })).line).toEqual({ value: { trajectory: TRAJECTORY } })
  expect(await (await pools.pool.reader()).line(Buffer.from('{"a":'), LIMITS)).toEqual({ value: undefined })
})

test('few lines, lines for a model, and all lines without threads are read here', async () => {
  const pools = makePool(startPool(WORKER))
  const line = Buffer.from(JSON.stringify({ trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH }))
  expect((await pools.pool.reader()).line(line, LIMITS)).toBeNull()
  await readLine(pools, {})
  expect((await pools.pool.reader()).line(line, LIMITS)).not.toBeNull()
  pools.pool.useThreads(0)
  expect((await pools.pool.reader()).line(line, LIMITS)).toBeNull()
  pools.pool.useThreads(1)
  const model = scriptedJudge([GOOD_ANSWER])
  await pools.grade(asking(model).deps, questionOf(read(TRAJECTORY), GROUND_TRUTH, model), 0)
  expect((await pools.pool.reader()).line(line, LIMITS)).toBeNull()
})

const mortal = () => startPool('./mortal-worker.ts', { most_ms: 5000 })

test.each(['the worker ends here', 'the worker hangs here'])('%s: that line is lost, and no other', async (text) => {
  const pools = makePool(mortal())
  await readLine(pools, {})
  const reader = await pools.pool.reader()
  const lines = ['a', 'b', text, 'c', 'd'].map((instruction) => {
    const request = { trajectory: TRAJECTORY, ground_truth: { ...GROUND_TRUTH, instruction } }
    return reader.line(Buffer.from(JSON.stringify(request)), LIMITS)
  })
  expect((await Promise.all(lines)).map((line) => line !== null)).toEqual([true, true, false, true, true])
})

test.each(['the worker ends here', 'the worker hangs here'])(
  '%s: that sample has failed, what waits for its judge is asked nothing twice',
  async (instruction) => {
    const pools = makePool(mortal())
    const long = { actor: 'tool_output', text: 'x'.repeat(LARGE + 1) }
    const trajectory = pools.store({ steps: [...TRAJECTORY.steps, long] })
    const answers = Promise.withResolvers<void>()
    const judge = scriptedJudge([GOOD_ANSWER])
    const slow = {
      ...judge,
      ask: (...given: Parameters<Judge['ask']>) => answers.promise.then(() => judge.ask(...given)),
    }
    const one = asking(slow)
    const waiting = pools.grade(one.deps, questionOf(trajectory, GROUND_TRUTH, slow), 0)
    while (one.asked.length === 0) await new Promise((done) => setTimeout(done, 10))
    const lost = pools.grade(asking(slow).deps, questionOf(trajectory, { ...GROUND_TRUTH, instruction }, slow), 0)
    expect(await lost).toMatchObject({ kind: 'failed', failure: WORKER_LOST, coverage: { steps_total: 6 } })
    answers.resolve()
    expect(await waiting).toMatchObject({ kind: 'judged' })
    expect(one.asked).toHaveLength(1)
    expect(judge.requests).toHaveLength(1)
  },
)

test('where a call is refused, the sample ends with what was thrown', async () => {
  const pools = makePool()
  const trajectory = pools.store({
    steps: [...TRAJECTORY.steps, { actor: 'tool_output', text: 'x'.repeat(LARGE + 1) }],
  })
  const judge = scriptedJudge([GOOD_ANSWER])
  const error = new Error('the lease is lost')
  const deps = { ...asking(judge).deps, ask: () => Promise.reject(error) }
  await expect(pools.grade(deps, questionOf(trajectory, GROUND_TRUTH, judge), 0)).rejects.toBe(error)
})
