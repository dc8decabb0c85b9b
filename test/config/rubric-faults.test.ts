import { describe, expect, test } from 'vitest'
import { BASES, editsOf, faultsOf, RUBRIC_EDITS } from './broken-rubric.ts'

type Base = keyof typeof BASES

test.each(Object.keys(BASES) as Base[])('%s is whole before it is broken', (base) => {
  expect(faultsOf(base, [])).toEqual([])
})

describe.each(Object.entries(RUBRIC_EDITS.faults))('%s', (base, rows) => {
  test.each(editsOf(rows))('%s', (fault, edits) => {
    expect(faultsOf(base as Base, edits)[0]).toBe(fault)
  })
})

test('every fault is told at once, but what follows from a truth that is none', () => {
  expect(
    faultsOf('injection', [
      ['rubric.yaml', 'does: planted', 'does: cue'],
      ['question.md', '{{steps}}', '{{step}}'],
    ]).map((fault) => fault.split(' ')[0]),
  ).toEqual(['rubric.yaml:30', 'question.md:2'])
})
