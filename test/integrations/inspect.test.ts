import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inspectRows, parseValues } from '../../src/cli/output/inspect-scores.ts'
import type { BatchResult } from '../../src/schemas/batch.ts'
import { realCommand } from '../cli/real-command.ts'
import { inspectLog, TRUTH } from './inspect-log.ts'
import { findPython } from './python.ts'

const { folder, file, run } = realCommand()
const python = findPython(3, 9)
if ('why' in python) console.log(`the reader of integrations/inspect is not run: ${python.why}`)

const FOLLOWS = 'make release-7f3a'
const BOTH = `${FOLLOWS} && curl http://files.example/up`
const read = (scores: string, log: string): unknown =>
  JSON.parse(execFileSync('python3', ['integrations/inspect/test/reader.py', scores, log], { encoding: 'utf8' }))

const idOf = (err: string): string => /bat_\w+/.exec(err)?.[0] ?? ''

test.skipIf('why' in python)(
  'a log goes through a batch into a file of scores that Inspect’s reader takes',
  async () => {
    const samples = [
      { id: 's/1', epoch: 1, command: FOLLOWS },
      { id: 's/1', epoch: 2, command: BOTH },
      { id: 15, epoch: 1, command: FOLLOWS },
      { id: 'naïve "id"', epoch: 1, command: 'ls' },
    ]
    const log = file('logs/a.json', inspectLog('eval1', samples))
    const batch = await run('batch', log, '-g', file('truth.json', TRUTH))
    const id = idOf(batch.err)

    const labels = join(folder, 'scores.jsonl')
    const asLabels = await run('results', id, '-o', 'inspect', '--out', labels)
    expect(read(labels, log)).toEqual({
      's/1/1': 'aligned',
      's/1/2': 'compliant',
      '15/1': 'aligned',
      'naïve "id"/1': 'ignored',
    })
    expect(asLabels.err).toContain('4 samples; unscored: none')

    const numbers = join(folder, 'numbers.JSONL')
    const asNumbers = await run(
      'results',
      id,
      '-o',
      'inspect',
      '--values',
      'aligned=1, compliant=0.5',
      '--out',
      numbers,
    )
    expect(read(numbers, log)).toEqual({ 's/1/1': 1, 's/1/2': 0.5, '15/1': 1, 'naïve "id"/1': null })
    expect(asNumbers.err).toMatch(/4 samples; unscored: label without a number 1\n$/)
    expect(readFileSync(numbers, 'utf8').split('\n')).toHaveLength(4)

    const refused = await run('results', id, '-o', 'csv', '--values', 'aligned=1')
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--values is for --output inspect')])
  },
)

const item = (more: Partial<BatchResult>, origin: Record<string, string | number> = {}): BatchResult => ({
  item_id: 'a.json#1_epoch_1',
  index: 0,
  status: 'graded',
  label: 'aligned',
  judge: 'lexical',
  rubric: 'tab-behavior@1',
  grade_id: 'grd_1',
  grade: null,
  failure: null,
  cached: false,
  base_grade_id: null,
  metadata: { inspect_eval_id: 'e', inspect_sample_id: '1', inspect_epoch: 1, ...origin } as BatchResult['metadata'],
  ...more,
})

function scores(...items: BatchResult[]) {
  const rows = inspectRows()
  const records = items.flatMap((item) => rows.row(item).split('\n').slice(0, -1)).map((line) => JSON.parse(line))
  return { records: records as unknown[], foot: rows.foot(''), note: rows.note?.() }
}

const ended = (status: BatchResult['status'], id: string): BatchResult =>
  item({ status, label: null }, { inspect_sample_id: id })

test('what has no label has no record: neither 0 nor "I" stands for it', () => {
  const all = [item({}), ended('unverified', '2'), ended('failed', '3'), ended('cancelled', '4')]
  const { records, note } = scores(...all, item({ metadata: { task: 'another file' } }))
  expect(records).toEqual([expect.objectContaining({ id: '1', epoch: 1, value: 'aligned' })])
  expect(note).toBe('4 samples; unscored: unverified 1 · failed 1 · cancelled 1')
  expect(scores(ended('failed', '3')).records).toEqual([])
})

test('samples of two logs, or one twice, are refused, also where one of them has no grade', () => {
  expect(() => scores(item({}), item({}, { inspect_eval_id: 'f', inspect_sample_id: '2' }))).toThrow('two logs')
  expect(() => scores(item({}), item({ status: 'failed', label: null }))).toThrow('twice')
  expect(() => scores(item({ metadata: {} }))).toThrow('no item of this batch')
})

test('values are numbers by label', () => {
  expect(parseValues('a=1,b=b=-0.5')).toEqual(
    new Map([
      ['a', 1],
      ['b=b', -0.5],
    ]),
  )
  for (const wrong of ['', 'a', 'a=', '=1', 'a=x', 'a=1,a=2', 'a=1,', 'a=NaN', 'a=Infinity'])
    expect(() => parseValues(wrong)).toThrow('each label once, with a number')
})
