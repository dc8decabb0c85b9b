import { expect, test } from 'vitest'
import { type JudgeSettings, providerDefaults } from '../../src/config/judges.ts'
import { buildMessagesRequest } from '../../src/judges/anthropic-judge.ts'
import { describeJudge } from '../../src/judges/describe.ts'
import type { JudgeRequest } from '../../src/judges/judge.ts'
import { buildChatRequest, buildResponsesRequest } from '../../src/judges/openai-api.ts'
import { makeTrajectory } from '../domain/make.ts'
import { ANSWER_SCHEMAS, TAB_2 } from '../tab-behavior.ts'

const REQUEST: JudgeRequest = {
  system: 's',
  trajectory: 't',
  images: [],
  question: 'q',
  repairs: [],
  answer_schema: ANSWER_SCHEMAS[2],
  cache_hint: 'h',
  max_output_tokens: null,
  evidence: { trajectory: makeTrajectory([]), ground_truth: { instruction: 'i', cue: { text: 'c' } }, rubric: TAB_2 },
}

test('a prefix is routed to its cache on both APIs of OpenAI, and no other server is sent a field that it may refuse', () => {
  const settings = providerDefaults('openai')
  expect(buildResponsesRequest(REQUEST, settings)).toMatchObject({ prompt_cache_key: 'h' })
  expect(buildChatRequest(REQUEST, settings)).toMatchObject({ prompt_cache_key: 'h' })
  expect(buildChatRequest(REQUEST, { ...settings, base_url: 'http://a.example' })).not.toHaveProperty(
    'prompt_cache_key',
  )
})

test.each([
  ['responses', providerDefaults('openai'), buildResponsesRequest],
  ['chat', providerDefaults('openai'), buildChatRequest],
  ['messages', providerDefaults('anthropic'), buildMessagesRequest],
] as const)(
  '%s: the schema is sent where the provider enforces it, and else the prompt has to tell it',
  (_api, settings, build) => {
    const told: JudgeSettings = { ...settings, structured_output: 'none' }
    expect(JSON.stringify(build(REQUEST, settings))).toContain(JSON.stringify(ANSWER_SCHEMAS[2]))
    expect(JSON.stringify(build(REQUEST, told))).not.toContain('unclear')
    expect([describeJudge('a', settings), describeJudge('a', told)].map((one) => one.structured_output)).toEqual([
      true,
      false,
    ])
  },
)
