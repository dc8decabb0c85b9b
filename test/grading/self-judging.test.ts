import { describe, expect, test } from 'vitest'
import { areOneModel } from '../../src/domain/words.ts'
import type { TrialMetadata } from '../../src/schemas/trial.ts'
import { startApp } from '../start-app.ts'
import { GOOD_ANSWER, GROUND_TRUTH, modelJudge, scriptedJudge, TRAJECTORY } from './harness.ts'

const ATIF = {
  schema_version: 'ATIF-v1.7',
  session_id: 's',
  agent: { name: 'terminus-2', version: '1', model_name: 'test/model-agent' },
  steps: [{ step_id: 1, source: 'user', message: 'Build the project.' }],
}

test.each([
  ['claude-opus-4-5', 'anthropic/claude-opus-4.5', true],
  ['claude-opus-4-5-20251101', 'us.anthropic.claude-opus-4-5-20251101-v1:0', true],
  ['openai:gpt-5.2', 'GPT-5.2-2025-12-11', true],
  ['gemini-2.5-pro-preview-05-06', 'google-gla:gemini-2.5-pro', true],
  ['Claude Opus 4.5', 'claude-opus-4-5@20251101', true],
  ['gpt-5', 'gpt-5-mini', false],
  ['llama3:8b', 'llama3:70b', false],
  ['mistral:7b', 'gemma:7b', false],
  ['mistral:instruct', 'mixtral:instruct', false],
  ['claude-sonnet-4', 'claude-sonnet-4-20250514[1m]', true],
  ['claude-sonnet-4', 'anthropic/claude-sonnet-4:thinking', true],
  ['', 'openai/', false],
])('%s and %s: one model %s', (one, other, expected) => {
  expect([areOneModel([one], [other]), areOneModel([other], [one])]).toEqual([expected, expected])
})

describe('the judged model', () => {
  const start = async () => {
    const own = scriptedJudge([GOOD_ANSWER], {
      name: 'own',
      identity: { provider: 'test', base_url: null, model: 'model-agent-2026-01-01', parameters: {} },
    })
    return { app: await startApp({ judges: [own, modelJudge('other', GOOD_ANSWER)] }), own }
  }
  const asked = (judge: string, metadata?: TrialMetadata, trajectory: object = TRAJECTORY) => ({
    ...{ trajectory, ground_truth: GROUND_TRUTH, judge },
    ...(metadata && { metadata }),
  })
  const refused = expect.objectContaining({
    code: 'self_judging',
    errors: [{ path: expect.stringMatching(/\/judge$/), message: expect.stringContaining('--allow-self') }],
  })

  test('is refused before any call, and asked where that is allowed', async () => {
    const { app, own } = await start()
    const request = asked('own', { model: 'Vendor/Model-Agent' })
    expect(await app.tell('/v1/grades', request, 400)).toEqual(refused)
    expect(own.requests).toEqual([])
    expect(await app.tell('/v1/grades', { ...request, allow_self: true })).toMatchObject({ label: 'aligned' })
    // A stored grade of the model's own run is no answer to a request that does not allow it.
    expect(await app.tell('/v1/grades', request, 400)).toEqual(refused)
  })

  test('others grade: another model, the search, trials whose model is not known', async () => {
    const { app } = await start()
    const metadata = { model: 'model-agent' }
    for (const request of [asked('other', metadata), asked('lexical', metadata), asked('own')])
      expect((await app.post('/v1/grades', request)).statusCode).toBe(201)
  })

  test('the metadata of the harness decide, before what the record names', async () => {
    const { app } = await start()
    expect(await app.tell('/v1/grades', asked('own', {}, ATIF), 400)).toEqual(refused)
    const said = await app.post('/v1/grades', asked('own', { model: 'model-x' }, ATIF))
    expect(said.json()).not.toMatchObject({ code: 'self_judging' })
  })

  test('a batch is refused whole, its estimate and a re-grade, too; stored replies are checked', async () => {
    const { app, own } = await start()
    const items = [asked('other', { model: 'm' }), asked('own', { model: 'model-agent' })]
    const fault = expect.objectContaining({ errors: [expect.objectContaining({ path: '/items/1/judge' })] })
    expect(await app.tell('/v1/batches', { items }, 400)).toEqual(fault)
    expect(await app.tell('/v1/batches', { items, dry_run: true }, 400)).toEqual(fault)
    expect(await app.list('/v1/batches')).toEqual([])
    expect(own.requests).toEqual([])
    expect(await app.tell('/v1/batches', { items, dry_run: true, allow_self: true }, 200)).toMatchObject({ items: 2 })
    await app.tell('/v1/grades', { ...items[1], allow_self: true })
    const query = { judge: 'own' }
    expect(await app.tell('/v1/regrades', { query, samples: 3 }, 400)).toEqual(refused)
    expect(await app.tell('/v1/regrades', { query, recheck: true }, 202)).toMatchObject({ kind: 'recheck' })
    expect(await app.tell('/v1/regrades', { query, samples: 3, allow_self: true }, 202)).toMatchObject({
      counts: { total: 1 },
    })
  })
})
