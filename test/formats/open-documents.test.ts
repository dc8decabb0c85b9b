import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import type { OpenedDocument } from '../../src/formats/format.ts'
import { pathsOf } from './make.ts'

const open = (text: string): readonly OpenedDocument[] => {
  const result = openDocuments(text)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}
const documents = (text: string): unknown[] => open(text).map(({ document }) => document)
const messages = [{ role: 'user', content: 'Do it.' }]

describe('a text', () => {
  test.each<[string, string, unknown]>([
    ['one object', '{"a":1}', { a: 1 }],
    ['an array', '[1,{"a":2}]', { records: [1, { a: 2 }] }],
    ['lines', '{"a":1}\n\n {"a":2} \r\n', { records: [{ a: 1 }, { a: 2 }] }],
    ['a bare chat', JSON.stringify(messages), { records: messages }],
  ])('of %s is one document', (_, text, expected) => {
    expect(open(text)).toEqual([{ name: '', document: expected, about: {}, warnings: [] }])
  })

  test.each([
    ['nothing', '', ''],
    ['blank lines', '\n \n', ''],
    ['a number', '7', ''],
    ['words', 'hello', 'line 1'],
    ['an object that is cut', '{"a":{},\n"b":{}\n', 'line 1'],
    ['an object in lines that is cut', '{\n"a": [\n{}\n,\n{"b":', 'line 1'],
    ['more noise than records', '{"a":1}\nx\ny', 'line 2'],
    ['lines without one object', '1\nx\n2\n3', 'line 2'],
    ['too much noise', '{"a":1}\n'.repeat(100) + 'x\n'.repeat(21), 'line 101'],
  ])('of %s is refused at %3$j', (_, text, path) => {
    const result = openDocuments(text)
    expect(result.ok ? null : pathsOf(result.error)).toEqual([path])
  })
})

describe('lines that are not JSON', () => {
  const CUT = 'line 2, the last, is not JSON: the file may be cut short; left out'
  test.each<[string, string, object, string]>([
    ['a session that was cut', '{"a":1}\n{"a":', { records: [{ a: 1 }], unread_lines: 1 }, CUT],
    ['a record behind the head of a log', '{"a":1}\nINFO {"b":2}', { records: [{ a: 1 }], unread_lines: 1 }, CUT],
    ['noise at the head', 'Reading prompt…\n{"a":1}\n', { records: [{ a: 1 }] }, 'line 1 is not JSON; left out'],
    ['noise between', '{"a":1}\n\nWARN\n{"b":2}', { records: [{ a: 1 }, { b: 2 }] }, 'line 3 is not JSON; left out'],
  ])('are left out and told: %s', (_, text, document, warning) => {
    expect(open(text)).toEqual([{ name: '', document, about: {}, warnings: [warning] }])
  })

  test.each([
    ['two records that a writer glued together', '{"a":1}\n{"b":2}{"c":"}{"}', [{ a: 1 }, { b: 2 }, { c: '}{' }]],
    ['a stream of events', 'data: {"a":1}\n\ndata: {"b":2}\n', [{ a: 1 }, { b: 2 }]],
  ])('are read where they hold records whole: %s', (_, text, records) => {
    expect(open(text)).toEqual([{ name: '', document: { records }, about: {}, warnings: [] }])
  })

  test('are told of every run of their file', () => {
    const lines = [{ messages }, { messages }].map((run) => JSON.stringify(run)).join('\n')
    expect(open(`x\n${lines}`).map(({ warnings }) => warnings)).toEqual(Array(2).fill(['line 1 is not JSON; left out']))
  })

  test.each([
    [20, 20, true],
    [21, 398, false],
    [21, 399, true],
  ])('are left out up to 20 of them or one in twenty lines: %d beside %d records', (noise, records, isRead) => {
    const result = openDocuments('{"a":1}\n'.repeat(records) + 'x\n'.repeat(noise))
    expect(result.ok).toBe(isRead)
    if (result.ok) expect(result.value[0]?.warnings).toHaveLength(Math.min(noise, 21))
  })

  test('are never more than a thousand, however long the file', () => {
    const records = '{"a":1}\n'.repeat(30_000)
    expect([1000, 1001].map((noise) => openDocuments('x\n'.repeat(noise) + records).ok)).toEqual([true, false])
  })

  test('are told by the first twenty and their number', () => {
    const warnings = open('{"a":1}\n'.repeat(1000) + 'x\n'.repeat(30))[0]?.warnings
    expect(warnings?.at(19)).toBe('line 1020 is not JSON; left out')
    expect(warnings?.at(20)).toBe('and 10 more lines')
  })
})

describe('many runs in one file', () => {
  test('of conversations are one document each, numbered', () => {
    const lines = [{ messages, model: 'm' }, { messages }].map((run) => JSON.stringify(run)).join('\n')
    expect(open(lines)).toEqual([
      { name: '1', document: { messages, model: 'm' }, about: { model: 'm' }, warnings: [] },
      { name: '2', document: { messages }, about: {}, warnings: [] },
    ])
  })

  test('of tau-bench are named by task and trial', () => {
    const run = (task_id: number, trial: number): object => ({
      ...{ task_id, trial, reward: 1, traj: messages, info: { task: { instruction: 'Ask.' } } },
    })
    const opened = open(JSON.stringify([run(0, 0), run(0, 1), run(7, 0)]))
    expect(opened.map(({ name }) => name)).toEqual(['task_0_trial_0', 'task_0_trial_1', 'task_7_trial_0'])
    expect(opened[1]?.about).toEqual({ task: '0', run_index: 1, instruction: 'Ask.', scores: { reward: 1 } })
  })

  test('that share a name are numbered as well', () => {
    const runs = [0, 1].map(() => ({ task_id: 3, trial: 0, traj: messages }))
    expect(open(JSON.stringify(runs)).map(({ name }) => name)).toEqual(['1_task_3_trial_0', '2_task_3_trial_0'])
  })

  test('with something else beside a single run stay one document, whose odd record is unread', () => {
    const text = JSON.stringify([{ messages }, { other: 1 }])
    expect(documents(text)).toEqual([{ records: [{ messages }, { other: 1 }] }])
  })

  test.each([
    ['that goes on', [{ role: 'assistant', content: 'b' }], 1],
    ['that was told anew', [{ role: 'user', content: 'Other.' }], 2],
  ])('of episodes of a run %s are %3$d', (_, more, count) => {
    const episode = (index: number, conversations: object[]): object => ({
      ...{ conversations, episode: `episode-${index}`, run_id: 'r', trial_name: 't', result: '0.5' },
    })
    const later = count === 1 ? [...messages, ...more] : more
    const opened = open(JSON.stringify([episode(0, messages), episode(1, later)]))
    expect(opened).toHaveLength(count)
    expect(opened.at(-1)?.document['conversations']).toEqual(later)
    expect(opened.at(-1)?.about.scores).toEqual({ result: 0.5 })
  })

  test('of an Inspect log are one document a sample and epoch', () => {
    const sample = (epoch: number): object => ({ id: 'a', epoch, input: 'Do it.', messages })
    const opened = open(
      JSON.stringify({ version: 2, eval: { task: 't', model: 'm' }, samples: [sample(1), sample(2), 'broken'] }),
    )
    expect(opened.map(({ name }) => name)).toEqual(['a_epoch_1', 'a_epoch_2', 'sample_3'])
    expect(opened[1]?.about).toEqual({
      ...{ task: 't/a', model: 'm', run_index: 1, instruction: 'Do it.' },
      origin: { inspect_sample_id: 'a', inspect_epoch: 2 },
    })
  })
})

test('whatever is JSON opens without an exception, and loses no record', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1 }), (records) => {
      expect(documents(JSON.stringify(records))).toEqual([{ records: JSON.parse(JSON.stringify(records)) }])
    }),
    { numRuns: 300 },
  )
})
