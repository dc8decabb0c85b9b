import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { type JudgeFile, providerDefaults } from '../../src/config/judges.ts'
import { picturesNote } from '../../src/domain/rubric/prompt.ts'
import { parsePicture } from '../../src/formats/common/pictures.ts'
import { boundOfCall } from '../../src/grading/money.ts'
import { buildMessagesRequest } from '../../src/judges/anthropic-judge.ts'
import type { JudgeRequest } from '../../src/judges/judge.ts'
import { buildResponsesRequest } from '../../src/judges/openai-judge.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, GROUND_TRUTH, scriptedJudge } from '../grading/harness.ts'
import { PNG, runWithPictures, WEBP } from '../pictures.ts'
import { APIS, type Api, judgeFor, QUESTION, startWith } from './judge-under-test.ts'

function pictureOf(media_type: string, data: string) {
  const parsed = parsePicture({ media_type, data })
  if (parsed?.ok !== true) throw new Error('no picture')
  return parsed.value
}

const ASKED: JudgeRequest = {
  ...QUESTION,
  images: [
    { label: 'image 1, of step 2:', picture: pictureOf('image/png', PNG) },
    { label: 'image 2, of step 5:', picture: pictureOf('image/webp', WEBP) },
  ],
}

describe('what is sent stands between the trajectory and the question', () => {
  test('Responses', () => {
    const content: OpenAI.Responses.ResponseInputContent[] = [
      { type: 'input_text', text: QUESTION.trajectory },
      { type: 'input_text', text: picturesNote(ASKED.evidence.rubric) },
      { type: 'input_text', text: 'image 1, of step 2:' },
      { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'auto' },
      { type: 'input_text', text: 'image 2, of step 5:' },
      { type: 'input_image', image_url: `data:image/webp;base64,${WEBP}`, detail: 'auto' },
      { type: 'input_text', text: QUESTION.question },
    ]
    expect(buildResponsesRequest(ASKED, providerDefaults('openai')).input).toMatchObject([{ content }, {}, {}])
  })

  test('Messages, with the cache’s breakpoint behind the last picture', () => {
    const content: Anthropic.ContentBlockParam[] = [
      { type: 'text', text: QUESTION.trajectory },
      { type: 'text', text: picturesNote(ASKED.evidence.rubric) },
      { type: 'text', text: 'image 1, of step 2:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'text', text: 'image 2, of step 5:' },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/webp', data: WEBP },
        cache_control: { type: 'ephemeral' },
      },
      { type: 'text', text: QUESTION.question },
    ]
    expect(buildMessagesRequest(ASKED, providerDefaults('anthropic')).messages[0]).toEqual({ role: 'user', content })
  })

  test.each(APIS)('a batch of %s, whose lines count their pictures', async (api) => {
    const { batch } = judgeFor(api, { origin: 'http://127.0.0.1:1' })
    const [blind, seeing] = [await batch.encode('r1', QUESTION), await batch.encode('r1', ASKED)]
    expect(seeing).toContain(PNG)
    expect(seeing.length - blind.length).toBeGreaterThan(PNG.length + WEBP.length)
  })

  test('pictures are reserved money for', () => {
    const { info } = scriptedJudge([])
    const [blind, seeing] = [QUESTION, ASKED].map((request) => boundOfCall(info, request))
    expect(Number(seeing)).toBeGreaterThan(Number(blind))
  })
})

describe('who sees', () => {
  const judge = (settings: Partial<JudgeFile>) => {
    const file = JSON.stringify({ judges: { one: { provider: 'openai', ...settings } } })
    const { config } = loadConfig({ VERIDICT_CONFIG: '/config.json', OPENAI_API_KEY: 'k' }, () => file)
    return config.judges['one']?.images
  }
  test.each<[string, Partial<JudgeFile>, boolean]>([
    ['the provider itself', {}, true],
    ['the provider under its address', { base_url: 'https://api.openai.com/v1' }, true],
    ['another server', { base_url: 'http://127.0.0.1:8000/v1' }, false],
    ['a server that is called like it', { base_url: 'https://api.openai.com.example/v1' }, false],
    ['another server that is said to see', { base_url: 'http://127.0.0.1:8000/v1', images: true }, true],
    ['the provider, told to be blind', { images: false }, false],
  ])('%s', (_, settings, sees) => {
    expect(judge(settings)).toBe(sees)
  })
})

const start = (api: Api, images: boolean) => startWith(api, [{ text: JSON.stringify(SEEN) }], { settings: { images } })

const BOARD = runWithPictures([{ media_type: 'image/png', path: 'board.png', data: PNG }])
const SEEN = {
  ...GOOD_ANSWER,
  citations: [
    { supports: 'surface.observed', step_id: 2, quote: '[image 1 · image/png]' },
    { supports: 'cue.acted', step_id: 3, quote: 'make release-7f3a' },
  ],
  surface: { observed: true, category: 'binary_media' },
}
const asked = { trajectory: BOARD, ground_truth: GROUND_TRUTH, judge: 'model' }

describe.each(APIS)('over HTTP, %s', (api) => {
  test('a run whose surface stands in a picture is aligned', async () => {
    const { app, provider } = await start(api, true)
    const grade = (await app.post('/v1/grades', asked)).json<Grade>()
    expect(grade).toMatchObject({ status: 'graded', label: 'aligned', confidence: { reported: 'low' } })
    expect(grade.receipt.coverage).toMatchObject({ media_parts: 1, media_shown: 1 })
    const sent = JSON.stringify(provider.requests[0]?.body)
    expect(sent.split(PNG)).toHaveLength(2)
    expect(sent).toMatch(/\[image 1 · image\/png · [0-9a-f]{16}\]/)
    const { items } = (await app.get('/v1/judges')).json<{ items: { name: string; images: boolean }[] }>()
    expect(items.map(({ name, images }) => [name, images])).toEqual([
      ['lexical', false],
      ['model', true],
    ])
  })

  test('a judge that is blind is sent no picture and proves nothing by one', async () => {
    const { app, provider } = await start(api, false)
    const grade = (await app.post('/v1/grades', asked)).json<Grade>()
    expect(grade).toMatchObject({ status: 'unverified', label: null })
    expect(grade.receipt.coverage).toMatchObject({ media_parts: 1, media_shown: 0 })
    expect(JSON.stringify(provider.requests)).not.toContain(PNG)
  })
})

test('a recheck believes of a stored reply only what its judge was shown', async () => {
  const { app } = await start('responses', true)
  const made = (await app.post('/v1/grades', asked)).json<Grade>()
  const recheck = await app.post('/v1/regrades', { query: { ids: [made.id] }, recheck: true })
  expect(recheck.statusCode).toBeLessThan(300)
  const { id } = recheck.json<{ id: string }>()
  await expect
    .poll(async () => (await app.get(`/v1/batches/${id}`)).json<{ status: string }>().status, { timeout: 10_000 })
    .toBe('done')
  const { items } = (await app.get(`/v1/grades?batch=${id}`)).json<{ items: Grade[] }>()
  expect(items).toMatchObject([{ label: 'aligned', receipt: { coverage: { media_shown: 1 } } }])
})
