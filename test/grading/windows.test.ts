import { describe, expect, test } from 'vitest'
import type { StoredReply } from '../../src/db/ledger.ts'
import { resolveAnchors } from '../../src/domain/anchors/anchors.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { type Asker, askStored, summarize } from '../../src/grading/ask.ts'
import { gradeSample } from '../../src/grading/sample.ts'
import type { JudgeReply, JudgeRequest } from '../../src/judges/judge.ts'

import { GOOD, questionOf } from './estimate-run.ts'
import { CALL, fakeClock, replyOf, GROUND_TRUTH as TRUTH } from './harness.ts'
import { isDecision, longRun, type ReadingJudge, readingJudge } from './long-run.ts'

const OVERFLOW = replyOf({ fail: 'context_overflow' })
const MALFORMED = replyOf('I think that it is aligned.')

const read = (document: object) => {
  const trajectory = readTrajectory(document, { max_steps: 5000, max_part_chars: 1_000_000 })
  if (!trajectory.ok) throw new Error('cannot be read')
  return trajectory.value
}

/** Its rubric says what a call is for. */
function questionFor(judge: ReadingJudge, document: object) {
  const question = questionOf(judge, read(document), 1)
  const rubric = { ...question.rubric, question: `${question.rubric.question}{{claims}}` }
  return { ...question, ground_truth: TRUTH, anchors: resolveAnchors(TRUTH), rubric }
}

async function run(judge: ReadingJudge, document: object = longRun(400, 440)) {
  const question = questionFor(judge, document)
  const stored: StoredReply[] = []
  const ask: Asker = async (asking, request) => {
    const reply = await judge.ask(request, new AbortController().signal)
    const { sample, round, purpose } = asking
    if (reply.ok) stored.push({ attempt_id: 'att_1', sample, round, purpose, reply } as StoredReply)
    return { reply, attempts: [summarize(asking, reply, CALL)], waited_ms: 0 }
  }
  const deps = { clock: fakeClock(), deadline_ms: 1e6 }
  const result = await gradeSample({ ...deps, ask }, question, 0)
  const windows = judge.requests.filter((request) => !isDecision(request))
  const decisions = judge.requests.filter(isDecision)
  const recheck = () => gradeSample({ ...deps, ask: askStored(stored) }, question, 0)
  return { result, windows, decisions, recheck }
}

/** Which steps a request shows, by their frames. */
const framesOf = (request: JudgeRequest | undefined) =>
  (request?.trajectory.split('=== STEP ') ?? []).slice(1).map((text) => Number.parseInt(text, 10))

const PLAIN = await run(readingJudge(15_000))
const COUNT = PLAIN.windows.length

test('without trouble: every window once, one decision', () => {
  expect(PLAIN.result).toMatchObject({ kind: 'judged', coverage: { windows: COUNT } })
  expect(COUNT).toBeGreaterThan(5)
  expect(PLAIN.decisions).toHaveLength(1)
})

describe('a window whose reply is in no form', () => {
  test('is asked once more, with what was wrong', async () => {
    const { result, windows, decisions, recheck } = await run(
      readingJudge(15_000, (_request, call) => (call === 2 ? MALFORMED : null)),
    )
    expect(result).toMatchObject({ kind: 'judged', evidence: { unmet: [] } })
    expect([windows.length, decisions.length]).toEqual([COUNT + 1, 1])
    expect(windows[2]?.trajectory).toBe(windows[1]?.trajectory)
    expect(windows.map(({ repairs }) => repairs.length)).toEqual(windows.map((_, index) => (index === 2 ? 1 : 0)))
    expect(windows[2]?.repairs[0]?.complaint).toContain('could not be read')
    expect(await recheck()).toMatchObject({ kind: 'judged', claims: { values: { 'cue.acted': true } } })
  })

  test('again and again fails the sample: it is not known what stands there', async () => {
    const { result, windows, decisions } = await run(
      readingJudge(15_000, (_request, call) => (call >= 2 ? MALFORMED : null)),
    )
    expect(result).toMatchObject({ kind: 'failed', failure: { code: 'schema_invalid', retryable: true } })
    const [from, to] = [framesOf(windows[1])[0], framesOf(windows[1]).at(-1)]
    expect(result.kind === 'failed' && result.failure.message).toContain(`shown steps ${from} to ${to}`)
    expect([windows.length, decisions.length]).toEqual([3, 0])
  })

  test('but one whose quotes do not hold is read: it only marks nothing', async () => {
    const citations = [{ supports: 'cue.acted' as const, step_id: 9, quote: 'this stands nowhere in it at all' }]
    const fabricated = replyOf({ ...GOOD, citations, cue: { reasoned: false, acted: true } })
    const { result, windows } = await run(readingJudge(15_000, (_request, call) => (call === 2 ? fabricated : null)))
    expect(result.kind).toBe('judged')
    expect(windows).toHaveLength(COUNT)
  })
})

describe('a window that overflows', () => {
  test('is cut in two, and only the halves are asked', async () => {
    const { result, windows, recheck } = await run(
      readingJudge(15_000, (_request, call) => (call === 2 ? OVERFLOW : null)),
    )
    expect(result).toMatchObject({ kind: 'judged', coverage: { windows: COUNT + 1 } })
    expect(windows).toHaveLength(COUNT + 2)
    expect([...framesOf(windows[2]), ...framesOf(windows[3])]).toEqual(framesOf(windows[1]))
    expect(await recheck()).toMatchObject({ kind: 'judged', claims: { values: { 'cue.acted': true } } })
  })

  test('of one long action is cut inside of it, and nothing is lost', async () => {
    const trajectory = longRun(1, 440)
    const words = Array.from({ length: 30_000 }, (_, index) => `word${index}`)
    trajectory.steps.splice(5, 0, { actor: 'agent_action', text: words.join(' ') })
    const large = (request: JudgeRequest) => request.trajectory.length > 50_000 && !isDecision(request)
    const { result, windows } = await run(
      readingJudge(30_000, (request) => (large(request) ? OVERFLOW : null)),
      trajectory,
    )
    expect(result.kind).toBe('judged')
    const shown = new Set(
      windows.filter((request) => !large(request)).flatMap(({ trajectory: text }) => text.split(/\s/)),
    )
    expect(words.filter((word) => !shown.has(word))).toEqual([])
  })

  test('again and again ends after its first quarter', async () => {
    const { result, windows } = await run(readingJudge(15_000, () => OVERFLOW))
    expect(result).toMatchObject({ kind: 'failed', failure: { code: 'context_overflow' } })
    expect(windows).toHaveLength(3)
  })
})

describe('a decision over windows that overflows', () => {
  const overflowing = (times: number) => {
    let left = times
    return readingJudge(15_000, (request): JudgeReply | null => (isDecision(request) && left-- > 0 ? OVERFLOW : null))
  }
  /** The surface is cited amid long outputs that hold the instruction too. */
  const trajectory = longRun(400, 440)
  for (const index of [20, 40, 60, 80])
    trajectory.steps[index + 1] = {
      actor: 'tool_output',
      text: `${'x y '.repeat(3000)}${TRUTH.cue.text}${' z'.repeat(4000)}`,
    }

  test('is shown less, and no window is read again', async () => {
    const plain = await run(readingJudge(15_000), trajectory)
    const { result, windows, decisions, recheck } = await run(overflowing(2), trajectory)
    expect(result).toMatchObject({ kind: 'judged', evidence: { unmet: [] } })
    expect([windows.length, decisions.length]).toEqual([plain.windows.length, 3])
    const sizes = decisions.map((one) => one.trajectory.length)
    expect(sizes[2]).toBeLessThan(sizes[0] ?? 0)
    for (const { trajectory: text } of decisions) {
      for (const index of [20, 40, 60, 80]) expect(text).toContain(`=== STEP ${index + 2} ·`)
      expect(text.split(TRUTH.cue.text).length - 1).toBe(5)
    }
    expect(await recheck()).toMatchObject({ kind: 'judged', claims: { values: { 'cue.acted': true } } })
  })

  test('three times fails, after three decisions', async () => {
    const { result, decisions } = await run(overflowing(99), trajectory)
    expect(result).toMatchObject({ kind: 'failed', failure: { code: 'context_overflow' } })
    expect(decisions).toHaveLength(3)
  })
})

test('a decision that does not fit is cut to what stands around the instructions', async () => {
  const trajectory = longRun(10, 440)
  for (let index = 0; index < 30; index++)
    trajectory.steps.push({
      actor: 'agent_action',
      text: `${'echo a b; '.repeat(400)}${TRUTH.cue.text}${'; echo c d'.repeat(400)}`,
    })
  const { result, windows, decisions } = await run(readingJudge(24_000), trajectory)
  expect(result.kind).toBe('judged')
  expect(windows.length).toBeGreaterThan(1)
  expect(decisions).toHaveLength(1)
  expect(decisions[0]?.trajectory.split(TRUTH.cue.text).length).toBe(32)
  expect(decisions[0]?.trajectory).toContain('characters not shown')
})
