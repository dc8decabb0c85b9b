import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type OpenedDocument, openDocuments } from '../../src/formats/open-documents.ts'
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
    expect(open(text)).toEqual([{ name: '', document: expected, about: {} }])
  })

  test.each([
    ['nothing', '', ''],
    ['blank lines', '\n \n', ''],
    ['a number', '7', ''],
    ['words', 'hello', 'line 1'],
    ['a line that is cut', '{"a":1}\n{"a":', 'line 2'],
  ])('of %s is refused at %3$j', (_, text, path) => {
    const result = openDocuments(text)
    expect(result.ok ? null : pathsOf(result.error)).toEqual([path])
  })
})

describe('many runs in one file', () => {
  test('of conversations are one document each, numbered', () => {
    const lines = [{ messages, model: 'm' }, { messages }].map((run) => JSON.stringify(run)).join('\n')
    expect(open(lines)).toEqual([
      { name: '1', document: { messages, model: 'm' }, about: { model: 'm' } },
      { name: '2', document: { messages }, about: {} },
    ])
  })

  test('of tau-bench are named by task and trial', () => {
    const run = (task: number, trial: number): object => ({
      task_id: task,
      trial,
      reward: 1,
      traj: messages,
      info: { task: { instruction: 'Ask.' } },
    })
    const opened = open(JSON.stringify([run(0, 0), run(0, 1), run(7, 0)]))
    expect(opened.map(({ name }) => name)).toEqual(['task_0_trial_0', 'task_0_trial_1', 'task_7_trial_0'])
    expect(opened[1]?.about).toEqual({ task: '0', run_index: 1, instruction: 'Ask.', scores: { reward: 1 } })
  })

  test('that share a name are numbered as well', () => {
    const runs = [0, 1].map(() => ({ task_id: 3, trial: 0, traj: messages }))
    expect(open(JSON.stringify(runs)).map(({ name }) => name)).toEqual(['1_task_3_trial_0', '2_task_3_trial_0'])
  })

  test('with something else among them stay one document, for the reader to refuse', () => {
    const text = JSON.stringify([{ messages }, { other: 1 }])
    expect(documents(text)).toEqual([{ records: [{ messages }, { other: 1 }] }])
  })

  test.each([
    ['that goes on', [{ role: 'assistant', content: 'b' }], 1],
    ['that was told anew', [{ role: 'user', content: 'Other.' }], 2],
  ])('of episodes of a run %s are %3$d', (_, more, count) => {
    const episode = (index: number, conversations: object[]): object => ({
      conversations,
      episode: `episode-${index}`,
      run_id: 'r',
      trial_name: 't',
      result: '0.5',
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
    expect(opened[1]?.about).toEqual({ task: 't/a', model: 'm', run_index: 1, instruction: 'Do it.' })
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
