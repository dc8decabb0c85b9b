import { expect, test } from 'vitest'
import { type HeldSlice, SliceSource } from '../../src/batches/run/slice-source.ts'
import type { OpenItem } from '../../src/db/items.ts'
import type { Lease } from '../../src/ports/lease-ports.ts'

/** A lease that the test can take away. */
function makeLease(name: string): Lease & { lose(): void } {
  const controller = new AbortController()
  return { name, token: `token ${name}`, lost: controller.signal, lose: () => controller.abort() }
}

function makeSlice(from: number, trajectories: readonly string[], judge = 'j') {
  const lease = makeLease(`slice:b:${from}`)
  const held: HeldSlice = { slice: { batch: 'b', from, judge }, lease }
  const items = trajectories.map(
    (trajectory, at) => ({ batch: 'b', index: from + at, item_id: `${from + at}`, trajectory }) as unknown as OpenItem,
  )
  return { lease, held, items }
}

function setUp() {
  const done: number[] = []
  const notes = new Map<string, number>()
  const source = new SliceSource({
    note: ({ name }, inFlight) => void notes.set(name, inFlight),
    onDone: ({ slice }) => void done.push(slice.from),
  })
  const next = async (now = 0) => (await source.next(now))?.index ?? null
  return { source, done, notes, next }
}

const take = async (source: SliceSource): Promise<OpenItem> => {
  const item = await source.next(0)
  if (item === null) throw new Error('there is no item')
  return item
}

test('gives the items of its slices in order, and tells when all of one have ended', async () => {
  const { source, done, notes } = setUp()
  const [one, other] = [makeSlice(0, ['a', 'b']), makeSlice(16, ['c'])]
  source.add(one.held, one.items)
  source.add(other.held, other.items)
  const items = [await take(source), await take(source), await take(source)]
  expect(items.map(({ index }) => index)).toEqual([0, 1, 16])
  expect(await source.next(0)).toBeNull()
  expect(Object.fromEntries(notes)).toEqual({ 'slice:b:0': 2, 'slice:b:16': 1 })
  expect(items.map((item) => source.leaseOf(item).name)).toEqual(['slice:b:0', 'slice:b:0', 'slice:b:16'])
  for (const item of items.toReversed()) source.end(item)
  expect(done).toEqual([16, 0])
  expect(source.drain()).toEqual([])
})

test('what is put back comes first, once it is due; what is only released keeps its slice', async () => {
  const { source, done, next } = setUp()
  const { held, items } = makeSlice(0, ['a', 'b', 'c'])
  source.add(held, items)
  const first = await take(source)
  source.putBack(first, 100)
  expect(source.nextDue(0)).toBe(100)
  expect([await next(50), await next(100)]).toEqual([1, 0])
  source.release(first)
  expect(await next()).toBe(2)
  expect(source.isEmpty()).toBe(true)
  expect(done).toEqual([])
  expect(source.drain().map(({ slice }) => slice.from)).toEqual([0])
})

test('items of a trajectory wait for its first, and then come next; meanwhile they are no load', async () => {
  const { source, next } = setUp()
  const { held, items } = makeSlice(0, ['a', 'a', 'b', 'a'])
  source.add(held, items)
  expect(source.load('j')).toEqual({ ready: 2, held: 4 })
  expect(source.load('other')).toEqual({ ready: 0, held: 0 })
  const leader = await take(source)
  expect(source.lead(leader)).toBe(true)
  expect(source.load('j')).toEqual({ ready: 2, held: 4 })
  const other = await take(source)
  expect(other.index).toBe(2)
  expect(source.lead(other)).toBe(true)
  expect(await next()).toBeNull()
  expect(source.isEmpty()).toBe(false)
  expect(source.load('j')).toEqual({ ready: 2, held: 4 })
  await source.gather(leader)
  source.end(leader)
  expect([await next(), await next(), await next()]).toEqual([1, 3, null])
})

test('a slice that is lost takes its items with it, those in flight too', async () => {
  const { source, done, next } = setUp()
  const [lost, kept] = [makeSlice(0, ['a', 'b', 'c']), makeSlice(16, ['d'])]
  source.add(lost.held, lost.items)
  source.add(kept.held, kept.items)
  const flying = await take(source)
  const waiting = await take(source)
  source.putBack(waiting, 10)
  lost.lease.lose()
  expect([await next(100), await next(100)]).toEqual([16, null])
  // It still goes by its old lease, which refuses what it writes, and counts for nothing here.
  expect(source.leaseOf(flying).lost.aborted).toBe(true)
  source.putBack(flying, 0)
  source.end(flying)
  expect([await next(100), done]).toEqual([null, []])
  expect(source.drain().map(({ slice }) => slice.from)).toEqual([16])
})

test('a slice that was lost and is taken again is not touched by what flies of the old one', async () => {
  const { source, done, notes } = setUp()
  const [old, again] = [makeSlice(0, ['a']), makeSlice(0, ['a'])]
  source.add(old.held, old.items)
  const flying = await take(source)
  old.lease.lose()
  source.add(again.held, again.items)
  const second = await take(source)
  source.end(flying)
  expect(done).toEqual([])
  expect(notes.get('slice:b:0')).toBe(1)
  source.end(second)
  expect(done).toEqual([0])
})

test('a lease that is lost before its slice arrives brings nothing', async () => {
  const { source, next } = setUp()
  const { held, items, lease } = makeSlice(0, ['a'])
  lease.lose()
  source.add(held, items)
  expect(await next()).toBeNull()
  expect(source.drain()).toEqual([])
})
