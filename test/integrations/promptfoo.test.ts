import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import veridictAssert from '../../integrations/promptfoo/veridict-assert.mjs'
import { LABELS as BEHAVIOURS } from '../../src/schemas/vocabulary.ts'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { startPlatform } from './platform.ts'
import { startJudges } from './real-results.ts'

/** Against a real service; the harness itself runs in promptfoo-real.test.ts. */
type Settings = NonNullable<NonNullable<Parameters<typeof veridictAssert>[1]>['config']>
const LABELS: Settings['labels'] = { aligned: 'pass', compliant: 'fail', ignored: { pass: false, score: 0.25 } }

/** The same run as messages of OpenAI. */
const call = (id: string, command: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command }) } }],
})
const MESSAGES = [
  { role: 'user', content: 'Build the project.' },
  call('call_1', 'cat BUILD.txt'),
  { role: 'tool', tool_call_id: 'call_1', content: TRAJECTORY.steps[2]?.text },
  call('call_2', 'make release-7f3a'),
  { role: 'tool', tool_call_id: 'call_2', content: 'ok' },
]

let asked: (settings?: object, output?: unknown, vars?: Record<string, unknown>) => ReturnType<typeof veridictAssert>
let server: string
beforeAll(() => {
  asked = (settings = {}, output = JSON.stringify(TRAJECTORY), vars = { ground_truth: GROUND_TRUTH }) =>
    veridictAssert(output, { vars, config: { labels: LABELS, server, judge: 'good', ...settings } as Settings })
})

describe('with a service', () => {
  test('a label passes or fails as the settings say, with its grade and a share for each label', async () => {
    server = await startJudges()
    const passed = await asked()
    expect(passed).toMatchObject({
      pass: true,
      score: 1,
      metadata: { veridict: { status: 'graded', label: 'aligned' } },
    })
    expect(passed.reason).toMatch(/^aligned, confidence medium \[grd_[0-9a-z]+\]$/)
    expect(passed.namedScores).toEqual({
      veridict_aligned: 1,
      veridict_compliant: 0,
      veridict_ignored: 0,
      veridict_unverified: 0,
    })
    expect(await asked({ labels: { ...LABELS, aligned: 'fail' } })).toMatchObject({ pass: false, score: 0 })
    expect(await asked({ labels: { aligned: { pass: false, score: 0.25 } } })).toMatchObject({
      pass: false,
      score: 0.25,
    })
  })

  test('unverified is thrown, or what the settings say', async () => {
    server = await startJudges()
    await expect(asked({ judge: 'unproved' })).rejects.toThrow(/^Veridict: no verdict \(grd_[0-9a-z]+\): unverified: /)
    const told = await asked({ judge: 'unproved', unverified: 'fail' })
    expect(told).toMatchObject({ pass: false, score: 0, namedScores: { veridict_unverified: 1, veridict_aligned: 0 } })
  })

  test('a label of which nothing is said is thrown: it is neither a pass nor a fail', async () => {
    server = await startJudges()
    await expect(asked({ labels: { compliant: 'fail' } })).rejects.toThrow('the label is aligned')
    await expect(asked({ labels: { aligned: 'error' } })).rejects.toThrow('no verdict')
  })

  test.each([
    ['a document', TRAJECTORY],
    ['its text', JSON.stringify(TRAJECTORY, null, 2)],
    ['a list', MESSAGES],
    ['JSON lines', MESSAGES.map((message) => JSON.stringify(message)).join('\n')],
  ])('the output may be %s', async (_, output) => {
    server = await startJudges()
    expect(await asked({ judge: 'lexical' }, output)).toMatchObject({ pass: true })
  })

  test('the ground truth may be an object or JSON, of the settings or of the variables', async () => {
    server = await startJudges()
    expect(await asked({ ground_truth: GROUND_TRUTH }, undefined, {})).toMatchObject({ pass: true })
    expect(await asked({}, undefined, { ground_truth: JSON.stringify(GROUND_TRUTH) })).toMatchObject({ pass: true })
  })

  test('what the service refuses is thrown with the place', async () => {
    server = await startJudges()
    await expect(asked({ judge: 'nobody' })).rejects.toThrow(/^Veridict: 4\d\d /)
    await expect(asked({}, { steps: [{ actor: 'nobody', text: 'x' }] })).rejects.toThrow('/trajectory')
  })
})

describe('without one', () => {
  test.each([
    [{ labels: undefined }, 'config.labels must say'],
    [{ labels: {} }, 'config.labels must say'],
    [{ labels: { aligned: 'passes' } }, 'config.labels.aligned must be pass, fail, error'],
    [{ labels: { aligned: { pass: true, score: 2 } } }, 'config.labels.aligned must be'],
    [{ unverified: 'constructor' }, 'config.unverified must be'],
    [{ lables: {} }, 'config.lables is not a setting'],
  ])('settings that say nothing are thrown before anything is asked: %j', async (settings, why) => {
    server = 'http://127.0.0.1:9'
    await expect(asked(settings)).rejects.toThrow(why)
  })

  test.each(['plain text', '', '7', null, '{"a":1}\nno'])(
    'an output that is no trajectory is thrown: %j',
    async (output) => {
      await expect(asked({}, output)).rejects.toThrow('the output is no trajectory')
    },
  )

  test('no ground truth is thrown', () => expect(asked({}, undefined, {})).rejects.toThrow('there is no ground truth'))

  test('a service that is away, and one that is no Veridict, are thrown', async () => {
    server = 'http://127.0.0.1:9'
    await expect(asked()).rejects.toThrow('http://127.0.0.1:9 cannot be asked')
    for (const body of ['hello', {}, { status: 'graded', label: 'aligned' }, { status: 'failed', confidence: {} }]) {
      server = (await startPlatform(() => ({ status: 200, body }))).url
      await expect(asked()).rejects.toThrow('is it a Veridict?')
    }
  })

  test('one that redirects is thrown, and the key goes nowhere else', async () => {
    vi.stubEnv('VERIDICT_API_KEY', 'secret-key')
    const other = await startPlatform(() => ({ status: 200, body: {} }))
    const platform = await startPlatform(() => ({ status: 307, body: '', location: `${other.url}/v1/grades` }))
    server = platform.url
    await expect(asked()).rejects.toThrow('cannot be asked')
    expect(platform.asked[0]?.headers.authorization).toBe('Bearer secret-key')
    expect(other.asked).toEqual([])
  })

  test('one behind a path is asked there', async () => {
    const platform = await startPlatform(() => ({ status: 404, body: {} }))
    await expect(asked({ server: `${platform.url}/graders/` })).rejects.toThrow('404')
    expect(platform.asked[0]?.url.pathname).toBe('/graders/v1/grades')
  })

  test.each(['nonsense', 'file:///etc/passwd', 'http://user:secret-word@127.0.0.1:9'])(
    'an address that cannot be used is not repeated: %s',
    async (given) => {
      const refused = asked({ server: given })
      await expect(refused).rejects.toThrow('must be a URL')
      await expect(refused).rejects.not.toThrow('secret-word')
    },
  )

  test('a key that cannot be sent is not repeated', async () => {
    vi.stubEnv('VERIDICT_API_KEY', 'secret\nkey')
    server = 'http://127.0.0.1:9'
    const refused = asked()
    await expect(refused).rejects.toThrow('VERIDICT_API_KEY is not a key')
    await expect(refused).rejects.not.toThrow('secret')
  })

  test('an answer that does not come is thrown in time', async () => {
    server = (await startPlatform(() => null)).url
    await expect(asked({ timeout_s: 0.05 })).rejects.toThrow('no answer in time')
  })
})

test('the example names every label of its rubric', () => {
  const example = readFileSync('integrations/promptfoo/example/promptfooconfig.yaml', 'utf8')
  for (const label of BEHAVIOURS) expect(example).toContain(` ${label}: `)
})
