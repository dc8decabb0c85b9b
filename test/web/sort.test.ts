import { describe, expect, test } from 'vitest'
import { nextSorting, readSorting, type SortValue, sortRows } from '../../web/src/ui/sort.ts'

const sorted = (values: readonly SortValue[], down: boolean) => sortRows(values, (value) => value, down)

describe('rows are sorted', () => {
  test.each<[string, readonly SortValue[], readonly SortValue[], readonly SortValue[]]>([
    [
      'words, numbers in them as numbers',
      ['run 10', 'run 9', 'Run 1'],
      ['Run 1', 'run 9', 'run 10'],
      ['run 10', 'run 9', 'Run 1'],
    ],
    ['numbers', [10, 9, 1.5], [1.5, 9, 10], [10, 9, 1.5]],
    ['what is not there last, both ways', [null, 'b', null, 'a'], ['a', 'b', null, null], ['b', 'a', null, null]],
    ['nothing', [], [], []],
  ])('%s', (_what, given, up, down) => {
    expect(sorted(given, false)).toEqual(up)
    expect(sorted(given, true)).toEqual(down)
  })

  test('equal ones stay as they came, both ways', () => {
    const rows = [
      { id: 1, task: 'a' },
      { id: 2, task: 'b' },
      { id: 3, task: 'a' },
    ]
    const ids = (down: boolean) => sortRows(rows, ({ task }) => task, down).map(({ id }) => id)
    expect([ids(false), ids(true)]).toEqual([
      [1, 3, 2],
      [2, 1, 3],
    ])
  })
})

test('a column goes up, down, and back to how the rows came', () => {
  const words: (string | null)[] = ['task']
  for (let turn = 0; turn < 3; turn++) words.push(nextSorting(readSorting(words.at(-1) ?? null), 'task'))
  expect(words).toEqual(['task', '-task', null, 'task'])
  expect(nextSorting(readSorting('-agent'), 'task')).toBe('task')
  expect([readSorting(null), readSorting(''), readSorting('-')]).toEqual([null, null, null])
})
