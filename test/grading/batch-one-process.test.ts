import { expect, test } from 'vitest'
import { oneProcess } from '../../src/batches/one-process.ts'
import type { BatchStore } from '../../src/ports/batch-ports.ts'

const A = 'provider:bat_a'
const B = 'provider:bat_b'

/** Claims over a store in which another process has what stands in `elsewhere`, and which refuses while `away` says so. */
function setUp(adopts: boolean) {
  const elsewhere = new Set<string>()
  const claims = new Set<string>()
  const away = { claim: '', release: '' }
  const store = {
    async claim(id: string) {
      if (away.claim === id) throw new Error('away')
      if (elsewhere.has(id)) return false
      claims.add(id)
      return true
    },
    async release(id: string) {
      if (away.release === id) throw new Error('away')
      claims.delete(id)
    },
    get: async (id: string) => ({ id, mode: 'direct', status: 'running', resumes_at: null }),
  } as unknown as BatchStore
  const cluster = oneProcess(store, adopts)
  const take = async (...names: string[]) => (await cluster.leases.takeMany(names)).map(({ name }) => name)
  const free = async (...ids: string[]) => (await cluster.slices.freeWhole(ids, 8)).map(({ batch }) => batch)
  const claimed = () => [...claims]
  return { ...cluster, elsewhere, claimed, away, take, free }
}

test('a batch that is held is not taken again, and is free once it is given back', async () => {
  const { leases, take, free, claimed, elsewhere } = setUp(true)
  elsewhere.add('bat_b')
  const [lease] = await leases.takeMany([A, B])
  expect(lease).toMatchObject({ name: A, token: '' })
  expect([await take(A, B), claimed(), await free('bat_a', 'bat_b')]).toEqual([[], ['bat_a'], ['bat_b']])
  if (lease !== undefined) await leases.release(lease)
  expect([claimed(), await free('bat_a'), await take(A)]).toEqual([[], ['bat_a'], [A]])
})

test('what the database refuses of one batch keeps no other, and is said where nothing could be taken', async () => {
  const { take, free, away } = setUp(true)
  away.claim = 'bat_a'
  await expect(take(A)).rejects.toThrow('away')
  expect(await take(A, B)).toEqual([B])
  away.claim = ''
  expect([await free('bat_a', 'bat_b'), await take(A)]).toEqual([['bat_a'], [A]])
})

test('a batch that could not be given back is looked after by this process', async () => {
  const { leases, slices, take, away } = setUp(true)
  const [lease] = await leases.takeMany([A])
  away.release = 'bat_a'
  if (lease !== undefined) await leases.release(lease)
  expect((await slices.open(['bat_b'])).map(({ id }) => id)).toEqual(['bat_b', 'bat_a'])
  expect(await take(A)).toEqual([A])
})

test('a command keeps what it has claimed', async () => {
  const { leases, claimed, take } = setUp(false)
  const [lease] = await leases.takeMany([A])
  if (lease !== undefined) await leases.release(lease)
  expect([claimed(), await take(A)]).toEqual([['bat_a'], [A]])
})
