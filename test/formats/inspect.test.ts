import { describe, expect, test } from 'vitest'
import { Reading } from '../../src/formats/common/reading.ts'
import { openInspectSample, turnedDown } from '../../src/formats/inspect/inspect.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { Located } from '../../src/formats/traces/located.ts'
import { LIMITS, partsOf, pathsOf, read, refuse } from './make.ts'

const sample = (messages: readonly object[], more: object = {}): Record<string, unknown> => ({
  ...{ id: 1, epoch: 2, input: 'Do it.', messages, ...more },
})
const ask = { role: 'user', content: 'Do it.', source: 'input', id: 'm1' }
const call = { id: 'c', function: 'bash', arguments: { cmd: 'ls' }, view: { content: 'shown to people' } }

describe('a sample', () => {
  test('may be read inside of its log where it is alone', () => {
    const log = { version: 2, eval: { task: 't', model: 'm' }, samples: [sample([ask])] }
    expect(partsOf(read(log), 0)).toEqual([['user', 'message', '/samples/0/messages/0/content', 'Do it.']])
    expect(pathsOf(refuse({ ...log, samples: [sample([ask]), sample([ask])] }))).toEqual([''])
  })

  test.each<[string, unknown, string]>([
    ['messages that are empty', sample([]), '/messages'],
    ['a message that is null', { ...sample([]), messages: [null] }, '/messages/0'],
    ['no samples', { version: 2, eval: { task: 't' }, samples: [] }, '/samples'],
    ['a sample that is text', { version: 2, eval: { task: 't' }, samples: ['x'] }, '/samples'],
  ])('is refused with %s', (_, document, path) => {
    expect(pathsOf(refuse(document))).toEqual([path])
  })
})

describe('attachments', () => {
  const at = (name: string): string => `attachment://${name}`

  test('are read where they stand', () => {
    const attached = { ...call, arguments: { cmd: at('c') } }
    const messages = [
      { role: 'user', content: at('a') },
      { role: 'assistant', content: [{ type: 'text', text: at('b') }], tool_calls: [attached] },
      { role: 'tool', tool_call_id: 'c', content: at('d') },
      { role: 'user', content: [{ type: 'image', image: at('e') }] },
    ]
    const attachments = { a: 'ask', b: 'say', c: 'do', d: '{"stdout":"out"}', e: 'data:image/png;base64,AAAA' }
    const source = sample(messages, { attachments, input: at('a') })
    const trajectory = read(source)
    expect(trajectory.steps.flatMap(({ parts }) => parts.map((part) => [part.path, part.text]))).toEqual([
      ['/attachments/a', 'ask'],
      ['/attachments/b', 'say'],
      ['/attachments/c', 'do'],
      ['/attachments/d#/stdout', 'out'],
      ['/messages/3/content/0', '[image]'],
    ])
    expect(openInspectSample(null, source).about).toMatchObject({ task: '1', run_index: 1, instruction: 'ask' })
  })

  test('that are mentioned 100,000 times do not unfold without bounds', () => {
    const big = `{"stdout":"${'x'.repeat(1_000_000)}"}`
    const input = Array.from({ length: 100_000 }, () => ({ role: 'tool', content: at('big') }))
    const asked = input.map((message) => ({ ...message, role: 'user' }))
    const source = sample(input, { attachments: { big }, input: asked })
    const heap = process.memoryUsage().heapUsed
    expect(openInspectSample(null, source).about.instruction).toBeUndefined()
    const result = readTrajectory(source, { ...LIMITS, max_steps: 1_000_000 })
    expect(result.ok).toBe(false)
    expect(!result.ok && result.error[0]).toEqual({
      path: '/messages/49/content',
      message: expect.stringContaining('50000000'),
    })
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(500_000_000)
  })
})

describe('what a log says of its runs', () => {
  test.each<[unknown, Record<string, number>]>([
    [
      { a: { value: 0.5 }, b: { value: 'P' }, c: { value: true }, d: { value: 'N' } },
      { a: 0.5, b: 0.5, c: 1, d: 0 },
    ],
    [{ a: { value: { x: 1, y: 'I', z: 'word' } } }, { 'a.x': 1, 'a.y': 0 }],
  ])('scores %j are %j', (scores, expected) => {
    expect(openInspectSample(null, sample([ask], { scores })).about.scores).toEqual(expected)
  })

  test('scores of the name __proto__ are data', () => {
    const scores: unknown = JSON.parse('{"__proto__":{"value":1}}')
    const own = openInspectSample(null, sample([ask], { scores })).about.scores ?? {}
    expect(Object.entries(own)).toEqual([['__proto__', 1]])
  })
})

describe('origin: what Inspect finds the sample by again', () => {
  const originOf = (spec: Record<string, unknown>, more: Record<string, unknown>) =>
    openInspectSample({ eval: spec }, { ...sample([{ role: 'user', content: 'x' }]), ...more }).about.origin

  test('is log, sample and epoch', () => {
    const spec = { eval_id: 'e1', run_id: 'r1', task_id: 't1' }
    expect(originOf(spec, { id: 15, epoch: 2 })).toEqual({
      inspect_eval_id: 'e1',
      inspect_sample_id: '15',
      inspect_epoch: 2,
    })
    expect(originOf({ run_id: 'r1', task_id: 't1' }, { id: 'a/b' })).toMatchObject({
      inspect_eval_id: 'r1/t1',
      inspect_sample_id: 'a/b',
    })
  })

  test('leaves out what would name another sample', () => {
    for (const id of [2 ** 53, 1.5, '', 'x'.repeat(2001), null])
      expect(originOf({}, { id, epoch: 1.5 }), String(id).slice(0, 9)).toEqual({})
  })
})

const approval = (decision: string, index: number): Record<string, unknown> => ({
  ...{ event: 'approval', message: 'm', approver: 'human', decision },
  call: { id: String(index + 1), function: 'bash', arguments: { cmd: 'ls' } },
})

test.each<[string, (events: Record<string, unknown>[]) => Record<string, unknown>, string]>([
  ['in a sample', (events) => ({ events }), '/events'],
  ['in an older transcript', (events) => ({ transcript: { events } }), '/transcript/events'],
  ['inside a tool', (events) => ({ events: [{ event: 'tool', events }] }), '/events'],
])('approvals tell which calls were turned down, and warn about those that were changed: %s', (_, sample, path) => {
  const reading = new Reading(LIMITS)
  const events = ['approve', 'reject', 'terminate', 'modify'].map(approval)
  expect([...turnedDown(reading, new Located(sample(events), ''))]).toEqual([
    ['2', 'rejected'],
    ['3', 'rejected'],
  ])
  expect(pathsOf(reading.warnings.toArray())).toEqual([path])
})
