import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { type JudgeSettings, providerDefaults } from '../../src/config/judges.ts'
import { digestValue } from '../../src/domain/digest.ts'
import { requestDigest } from '../../src/grading/ask.ts'
import { buildMessagesRequest } from '../../src/judges/anthropic-judge.ts'
import { buildModelJudges } from '../../src/judges/build-judges.ts'
import { describeJudge } from '../../src/judges/model-judge.ts'
import { buildChatRequest, buildResponsesRequest } from '../../src/judges/openai-judge.ts'
import { ANSWER_SCHEMAS } from '../tab-behavior.ts'
import { QUESTION } from './judge-under-test.ts'

async function judgesOf(file: string) {
  const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', VERIDICT_CONFIG: 'v.yaml' }
  const { config, secrets } = loadConfig(env, () => `judges: { ${file} }`)
  return (await buildModelJudges(config.judges, secrets)).judges
}

const FILE =
  'local: { provider: openai, api: chat, base_url: "http://127.0.0.1:1/v1", key_env: OPENAI_API_KEY, model: m }'

/** As commit baf2260 computed them: a store of its grades is asked by these. */
const THEN = {
  openai: [
    'sha256:3cb3ff58d2b7fb896794acdb9de51ffffab233d737e01c78e0fc59e744a32d84',
    'sha256:1374dacccf44de456b0c66e20ec34a791e023c773e5cadbbf626e2ace1b198e3',
  ],
  anthropic: [
    'sha256:d6fda08e683dd2558e7584cc9475d85692277c58effe8aaa276188b785bf2449',
    'sha256:4e4629652c919c2113fec16967521812c9a7e2a980f35edf2fc5fdd03125ba73',
  ],
  local: [
    'sha256:6291d4c8146907650eda08627d6b44dce822a62c6d3bc77acbda7d8e01f9c5fd',
    'sha256:fc5a68ac285afaac3e4afd5b2c37756883188bd477c0209cdb188c32262f9320',
  ],
}

test('identity and digest of a question are those of earlier versions, for configurations that they knew', async () => {
  const judges = await judgesOf(FILE)
  const now = [...judges].map(([name, judge]) => [
    name,
    [digestValue(judge.info.identity), requestDigest(judge, QUESTION)],
  ])
  expect(Object.fromEntries(now)).toEqual(THEN)
})

test('what cannot change an answer is in no key; how the schema is told is', async () => {
  const digests = async (more: string) => {
    const judge = (await judgesOf(`a: { provider: openai, api: chat, model: m${more} }`)).get('a')
    return judge === undefined ? null : digestValue(judge.info.identity)
  }
  const plain = await digests('')
  expect(await digests(', price: { input: 1, output: 1 }')).toBe(plain)
  expect(await digests(', structured_output: none')).not.toBe(plain)
})

const REQUEST = { ...QUESTION, answer_schema: ANSWER_SCHEMAS[2] }

test('a prefix is routed to its cache on both APIs of OpenAI, and no other server is sent a field that it may refuse', () => {
  const settings = providerDefaults('openai')
  expect(buildResponsesRequest(REQUEST, settings)).toMatchObject({ prompt_cache_key: 'hint-1' })
  expect(buildChatRequest(REQUEST, settings)).toMatchObject({ prompt_cache_key: 'hint-1' })
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
