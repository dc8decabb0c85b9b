import { expect, test } from 'vitest'
import { inspectRows, parseValues } from '../../src/cli/output/results-format.ts'
import type { BatchResult } from '../../src/schemas/batch.ts'

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
  return { records: records as unknown[], foot: rows.foot(), note: rows.note?.() }
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
