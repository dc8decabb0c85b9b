import { expect, test } from 'vitest'
import { DraftSlices } from '../../src/batches/run/draft-slices.ts'
import type { NewItem } from '../../src/ports/batch-ports.ts'
import { SLICE_ITEMS } from '../../src/ports/slice-ports.ts'
import { makeBatch, makeItem } from '../storage/make-batch.ts'

const DRAFT = makeBatch('bat_1')

/** Items of `from` up to before `to`, of a judge that their slice names. */
const items = (from: number, to: number, judgeOf = (_slice: number) => 'ours'): NewItem[] =>
  Array.from({ length: to - from }, (_, at) => {
    const item = makeItem(from + at)
    return { ...item, request: { ...item.request, judge: judgeOf(Math.floor(item.index / SLICE_ITEMS)) } }
  })

test('a slice is there once it is whole, however its items arrive', () => {
  const draft = new DraftSlices(DRAFT)
  draft.feed(items(0, SLICE_ITEMS - 1))
  expect(draft.free('ours', 9)).toEqual([])
  draft.feed(items(SLICE_ITEMS - 1, 2 * SLICE_ITEMS + 3))
  expect(draft.free('ours', 9).map(({ from }) => from)).toEqual([0, SLICE_ITEMS])
  expect(draft.free('ours', 1).map(({ from }) => from)).toEqual([0])
  expect(draft.backlog).toBe(2 * SLICE_ITEMS)
})

test('its items are taken once, and know their batch', () => {
  const draft = new DraftSlices(DRAFT)
  draft.feed(items(0, 2 * SLICE_ITEMS))
  const [, second] = draft.free('ours', 2)
  if (second === undefined) throw new Error('no second slice')
  const taken = draft.take(second)
  expect(taken.map(({ index }) => index)).toEqual(items(SLICE_ITEMS, 2 * SLICE_ITEMS).map(({ index }) => index))
  expect(new Set(taken.map(({ batch }) => batch))).toEqual(new Set(['bat_1']))
  expect(draft.take(second)).toEqual([])
  expect(draft.free('ours', 9).map(({ from }) => from)).toEqual([0])
})

test('a slice is of the judge of its first item', () => {
  const draft = new DraftSlices(DRAFT)
  draft.feed(items(0, 3 * SLICE_ITEMS, (slice) => (slice === 1 ? 'theirs' : 'ours')))
  expect(draft.free('theirs', 9).map(({ from }) => from)).toEqual([SLICE_ITEMS])
  expect(draft.free('ours', 9).map(({ from }) => from)).toEqual([0, 2 * SLICE_ITEMS])
})

test('what is read far ahead is left to the store, and later slices are kept again', () => {
  const draft = new DraftSlices(DRAFT)
  draft.feed(items(0, 5000))
  const kept = draft.free('ours', 5000)
  expect(draft.backlog).toBe(1024)
  for (const slice of kept) expect(draft.take(slice)).toHaveLength(SLICE_ITEMS)
  draft.feed(items(5000, 5100))
  expect(draft.free('ours', 9)[0]?.from).toBeGreaterThanOrEqual(4992)
})
