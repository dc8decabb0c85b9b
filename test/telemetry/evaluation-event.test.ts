import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { eventOf, word } from '../../src/telemetry/recording.ts'
import { GOOD_ANSWER, REQUEST, type Script, scriptedJudge } from '../grading/harness.ts'
import { startCollector } from './collector.ts'
import { startTraced, tracedTo } from './traced-service.ts'

/**
 * `gen_ai.evaluation.result` of semantic-conventions-genai (docs/gen-ai/gen-ai-events.md and model/gen-ai/events.yaml, read 2026-11-23):
 * gen_ai.evaluation.name is required; score.label, score.value and error.type where they apply.
 */
const CONVENTION = [
  'gen_ai.evaluation.name',
  'gen_ai.evaluation.score.label',
  'gen_ai.evaluation.score.value',
  'error.type',
]

/** What a collector hears of one grade, asked for twice. */
async function eventsOf(script: Script, env: NodeJS.ProcessEnv = {}) {
  const collector = await startCollector()
  const retry = { max_attempts: 1 }
  const service = await startTraced({ ...tracedTo(collector.url), ...env }, { retry }, [scriptedJudge([script])])
  const answers = []
  for (let n = 0; n < 2; n++) answers.push((await service.post('/v1/grades', REQUEST)).status)
  await service.tracing.close()
  const grades = collector.spans.filter(({ name }) => name === 'grade')
  return { answers, grades, events: collector.events }
}

test('a grade is told once, by a record of the log signal that belongs to its span, by the names of the convention', async () => {
  const { answers, grades, events } = await eventsOf(GOOD_ANSWER)
  expect(answers).toEqual([201, 200])
  const [span] = grades
  expect(events).toEqual([
    {
      name: 'gen_ai.evaluation.result',
      ...{ trace: span?.trace, id: span?.id },
      attributes: {
        'gen_ai.evaluation.name': 'tab-behavior@2',
        'gen_ai.evaluation.score.label': 'aligned',
        'veridict.grade.status': 'graded',
      },
      resource: span?.resource,
    },
  ])
  // Events of spans are deprecated.
  expect(span?.events).toBe(0)
  const own = Object.keys(events[0]?.attributes ?? {}).filter((name) => !name.startsWith('veridict.'))
  expect(CONVENTION).toEqual(expect.arrayContaining(own))
})

test('each new grade is told, whether its trace is sampled or not; the exporter none tells nothing', async () => {
  for (const [more, told] of [
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 1],
    [{ OTEL_TRACES_EXPORTER: 'none' }, 1],
    [{ OTEL_LOGS_EXPORTER: 'none' }, 0],
  ] as const) {
    const { grades, events } = await eventsOf(GOOD_ANSWER, more)
    expect([grades.length > 0, events.length]).toEqual([told === 0, told])
  }
})

test.each<[string, Script, object]>([
  ['a failed judge has an error and no score', { fail: 'refused' }, { 'error.type': 'refused', status: 'failed' }],
  ['an unverified grade has neither', { ...GOOD_ANSWER, citations: [] }, { status: 'unverified' }],
])('%s', async (_name, script, { status, ...more }: { status?: string }) => {
  const attributes = { 'gen_ai.evaluation.name': 'tab-behavior@2', 'veridict.grade.status': status, ...more }
  expect((await eventsOf(script)).events[0]?.attributes).toEqual(attributes)
})

test('an outcome that is a number is the value', async () => {
  const service = await startTraced({}, {}, [scriptedJudge([GOOD_ANSWER])])
  const grade = (await (await service.post('/v1/grades', REQUEST)).json()) as Grade
  const attributes = { 'gen_ai.evaluation.score.label': '3', 'gen_ai.evaluation.score.value': 3 }
  expect(eventOf({ ...grade, label: '3', outcome: 3 }).attributes).toMatchObject(attributes)
})

test('a word of a span is a name or an id', () => {
  expect(word('gpt-5.6-mini')).toBe('gpt-5.6-mini')
  for (const value of ['I will not say', 'x'.repeat(129), 'a\n', '', 7]) expect(word(value)).toBeUndefined()
})
