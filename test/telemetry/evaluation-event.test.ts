import type { Span } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { tellEvaluation } from '../../src/telemetry/spans.ts'
import { GOOD_ANSWER, REQUEST, type Script, scriptedJudge } from '../grading/harness.ts'
import { startCollector } from './collector.ts'
import { startTraced, tracedTo } from './traced-service.ts'

/**
 * `gen_ai.evaluation.result` of semantic-conventions-genai (docs/gen-ai/gen-ai-events.md and model/gen-ai/events.yaml, read 2026-11-23):
 * gen_ai.evaluation.name is required; score.label, score.value and error.type where they apply; explanation and response.id recommended.
 */
const CONVENTION = [
  'gen_ai.evaluation.name',
  'gen_ai.evaluation.score.label',
  'gen_ai.evaluation.score.value',
  'gen_ai.evaluation.explanation',
  'gen_ai.response.id',
  'error.type',
]

/** What a collector hears of one grade, asked for twice. */
async function eventsOf(script: Script, metadata: object = {}) {
  const collector = await startCollector()
  const retry = { max_attempts: 1 }
  const service = await startTraced(tracedTo(collector.url), { retry }, [scriptedJudge([script])])
  const answers = []
  for (let n = 0; n < 2; n++) answers.push((await service.post('/v1/grades', { ...REQUEST, metadata })).status)
  await service.tracing.close()
  const grades = collector.spans.filter(({ name }) => name === 'grade')
  return { answers, grades, events: grades.flatMap(({ events }) => events) }
}

test('a grade is told once, on its own span, by the names of the convention', async () => {
  const { answers, grades, events } = await eventsOf(GOOD_ANSWER)
  expect(answers).toEqual([201, 200])
  expect(events).toEqual([
    {
      name: 'gen_ai.evaluation.result',
      attributes: {
        'gen_ai.evaluation.name': 'tab-behavior@2',
        'gen_ai.evaluation.score.label': 'aligned',
        'gen_ai.evaluation.explanation': 'confidence medium',
        'veridict.grade.status': 'graded',
      },
    },
  ])
  expect(grades[0]?.events).toHaveLength(1)
  const own = Object.keys(events[0]?.attributes ?? {}).filter((name) => !name.startsWith('veridict.'))
  expect(CONVENTION).toEqual(expect.arrayContaining(own))
})

test('a failed judge has an error and no score', async () => {
  const { events } = await eventsOf({ fail: 'refused' })
  expect(events[0]).toEqual({
    name: 'gen_ai.evaluation.result',
    attributes: {
      'gen_ai.evaluation.name': 'tab-behavior@2',
      'error.type': 'refused',
      'veridict.grade.status': 'failed',
    },
  })
})

test('what is unverified has neither, and says which claims were not proved', async () => {
  const { events } = await eventsOf({ ...GOOD_ANSWER, citations: [] })
  expect(events[0]?.attributes).toEqual({
    'gen_ai.evaluation.name': 'tab-behavior@2',
    'gen_ai.evaluation.explanation': 'unverified; not proved: surface.observed, cue.acted',
    'veridict.grade.status': 'unverified',
  })
})

test.each([
  ['chatcmpl-123', 'chatcmpl-123'],
  ['a sentence that somebody wrote', undefined],
  [7, undefined],
])('the id of the completion that was evaluated is that of the metadata, where it is one: %s', async (given, told) => {
  const { events } = await eventsOf(GOOD_ANSWER, { 'gen_ai.response.id': given })
  expect(events[0]?.attributes['gen_ai.response.id']).toBe(told)
})

test('an outcome that is a number is the value', async () => {
  const service = await startTraced({}, {}, [scriptedJudge([GOOD_ANSWER])])
  const grade = (await (await service.post('/v1/grades', REQUEST)).json()) as Grade
  const told: unknown[] = []
  const span = { addEvent: (...event: unknown[]) => told.push(event) } as unknown as Span
  tellEvaluation(span, { ...grade, label: '3', outcome: 3 })
  const attributes = { 'gen_ai.evaluation.score.label': '3', 'gen_ai.evaluation.score.value': 3 }
  expect(told).toMatchObject([['gen_ai.evaluation.result', attributes]])
})
