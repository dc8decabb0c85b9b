import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BatchItem, BatchPage } from '../../src/client/contract.ts'
import { isSettled, remote, ServiceError } from '../../src/client/index.ts'
import { followBatch } from '../../src/client/persist.ts'
import { findKeyed } from '../../src/client/veridict.ts'
import { collect } from '../collect.ts'
import { makeItems } from '../http/make-batch.ts'
import { judgeOnHold, layWire, runService } from './running-service.ts'

const items = (n: number, more: object = {}): BatchItem[] => makeItems(n, more) as BatchItem[]

/** Starts a service with a judge on hold behind the run `free`, and makes a client of it; `broken`: over a wire that the test can cut. */
async function hold(free: number, { broken = false } = {}) {
  const { judge, release } = judgeOnHold(free)
  const { origin } = await runService({ judges: [judge] })
  const wire = await layWire(origin)
  return { client: remote(broken ? wire.origin : origin), release, wire }
}
const plainClient = async () => remote((await runService()).origin)

test('items of a generator are sent while they are read; progress and results come as they go', async () => {
  const { client, release } = await hold(10)
  async function* read() {
    for (const item of items(30)) yield item
  }
  const batch = await client.createBatch(read(), { name: 'thirty', judge: 'scripted' })
  expect(batch).toMatchObject({ name: 'thirty', counts: { total: 30 } })

  const ids: string[] = []
  const labels: (string | null)[] = []
  for await (const { item_id, status, label } of client.results(batch.id, { wait: true })) {
    ids.push(item_id)
    labels.push(status === 'failed' ? 'failed' : label)
    if (ids.length === 10) release()
  }
  expect(ids).toEqual(items(30).map(({ item_id }) => item_id))
  expect(labels).toEqual(items(30).map((_, run) => (run % 5 === 4 ? 'failed' : 'aligned')))

  const states = await collect(client.events(batch.id))
  expect(states.at(-1)).toMatchObject({ status: 'done', counts: { graded: 24, failed: 6 } })
})

describe('over a wire that breaks', () => {
  test('every result comes once, and none is missing', async () => {
    const { client, release, wire } = await hold(50, { broken: true })
    const { id } = await client.createBatch(items(120), { judge: 'scripted' })
    const seen: number[] = []
    for await (const { index } of client.results(id, { wait: true })) {
      seen.push(index)
      if (seen.length === 50) {
        wire.cut()
        release()
      }
      if (seen.length === 80) wire.cut()
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => index))
    expect(wire.connections).toBeGreaterThan(2)
  })

  test('progress goes on to the end', async () => {
    const { client, release, wire } = await hold(0, { broken: true })
    const { id } = await client.createBatch(items(3), { judge: 'scripted' })
    let last = null
    for await (const state of client.events(id)) {
      if (last === null) {
        wire.cut()
        release()
      }
      last = state
    }
    expect(last).toMatchObject({ id, status: 'done' })
  })

  test('a batch whose answer was lost is found, and not made again', async () => {
    const { client, wire } = await hold(1000, { broken: true })
    wire.onBytes = () => {
      wire.onBytes = () => undefined
      wire.cut()
    }
    const batch = await client.createBatch(items(5), { judge: 'scripted' })
    expect(batch.counts.total).toBe(5)
    expect((await client.batches()).items).toHaveLength(1)
  })
})

test('the same key is the same batch, and no item is read', async () => {
  const { client, release } = await hold(0)
  const first = await client.createBatch(items(3), { judge: 'scripted', key: 'nightly-2026-11-23' })
  const unread = () => {
    throw new Error('read')
  }
  expect((await client.createBatch(unread, { key: 'nightly-2026-11-23' })).id).toBe(first.id)
  const idsOf = async (key: string) => (await client.batches({ key })).items.map(({ id }) => id)
  expect(await idsOf('nightly-2026-11-23')).toEqual([first.id])
  expect(await idsOf('another')).toEqual([])
  const again = await client.createBatch(items(3), { judge: 'scripted', key: 'nightly-2026-11-23', again: true })
  expect(await idsOf('nightly-2026-11-23')).toEqual([again.id, first.id])
  await client.cancel(again.id)
  expect((await client.createBatch(unread, { key: 'nightly-2026-11-23' })).id).toBe(first.id)
  release()
})

test('a batch of a key is found behind a page of cancelled ones', async () => {
  const page = (status: string, next_cursor: string | null) => ({ items: [{ status }], next_cursor }) as BatchPage
  const pages = async ({ cursor = '' }: { cursor?: string } = {}) =>
    cursor === '' ? page('cancelled', 'next') : page('running', null)
  expect((await findKeyed(pages, { key: 'nightly' }))?.status).toBe('running')
})

test('a fault far into a stream refuses the batch with its place', async () => {
  const client = await plainClient()
  async function* read() {
    for (const [at, item] of items(400, { judge: 'lexical' }).entries())
      yield at === 41 ? { ...item, ground_truth: { instruction: 'x', cue: { text: '' } } } : item
  }
  const refused = await client.createBatch(read()).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ServiceError)
  expect((refused as ServiceError).errors[0]?.path).toBe('/items/41/ground_truth/cue/text')
  await expect(client.createBatch([null as never])).rejects.toMatchObject({ errors: [{ path: '/items/0' }] })
  expect((await client.batches()).items).toEqual([])
})

test('what the items throw is thrown, and no batch is made', async () => {
  const client = await plainClient()
  const fault = new Error('the disk is gone')
  let closed = false
  function* read() {
    try {
      yield* items(3, { judge: 'lexical' })
      throw fault
    } finally {
      closed = true
    }
  }
  await expect(client.createBatch(read())).rejects.toBe(fault)
  expect(closed).toBe(true)
  expect((await client.batches()).items).toEqual([])
})

test('an estimate makes no batch', async () => {
  const client = await plainClient()
  expect(await client.estimateBatch(items(4, { judge: 'lexical' }))).toMatchObject({ items: 4, to_grade: 4 })
  expect((await client.batches()).items).toEqual([])
})

test('a batch is cancelled; results so far come without waiting; leaving a loop ends its request', async () => {
  const { client, release } = await hold(5)
  const { id } = await client.createBatch(items(20), { judge: 'scripted' })
  let read = 0
  for await (const _ of client.results(id, { wait: true })) if (++read === 5) break
  expect((await collect(client.results(id))).length).toBe(5)
  await client.cancel(id)
  release()
  const states = await collect(client.events(id))
  expect(isSettled(states.at(-1) ?? { status: '', resumes_at: null })).toBe(true)
  expect(states.at(-1)?.status).toBe('cancelled')
})

test('a signal ends a stream with its reason', async () => {
  const { client, release } = await hold(0)
  const { id } = await client.createBatch(items(3), { judge: 'scripted' })
  const control = new AbortController()
  const results = collect(client.results(id, { wait: true, signal: control.signal })).catch((error: unknown) => error)
  const watching = client.events(id, { signal: control.signal })
  await watching.next()
  control.abort(new Error('enough'))
  expect(await results).toBe(control.signal.reason)
  await expect(collect(watching)).rejects.toThrow('enough')
  release()
})

describe('a Retry-After', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Follows a batch whose first reads are refused with a `Retry-After`, or whose three reads take long; returns the seconds of the reads, and the error. */
  async function follow(refusals: number, retryAfterS: number, tookMs = 0) {
    const from = performance.now()
    const reads: number[] = []
    const readBatch = async () => {
      reads.push(Math.round((performance.now() - from) / 1000))
      if (reads.length <= refusals) throw new ServiceError(429, { code: 'rate_limited', detail: 'later' }, retryAfterS)
      if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs))
      return { status: tookMs > 0 && reads.length < 3 ? 'running' : 'done', resumes_at: null }
    }
    const followed = (async () => {
      for await (const _ of followBatch(readBatch, 'bat_1'));
      return null
    })().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(600_000)
    return { reads, error: await followed }
  }

  test('a follower whose looks take long looks less often', async () => {
    expect(await follow(0, 0, 100)).toEqual({ reads: [0, 1, 2], error: null })
  })

  test('a follower waits for a Retry-After', async () => {
    expect(await follow(2, 30)).toEqual({ reads: [0, 30, 60], error: null })
  })

  test('results that break off at one place for ever are an error', async () => {
    const fetch = async () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('cut')) }))
    const read = collect(remote('http://h', undefined, { fetch }).results('bat_1')).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(await read).toMatchObject({ status: 0 })
  })

  test('a follower does not wait for a Retry-After behind its patience', async () => {
    const { reads, error } = await follow(2, 300)
    expect(reads).toEqual([0])
    expect(error).toMatchObject({ status: 429, retryAfterS: 300 })
  })
})
