import { expect } from 'vitest'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import { expectSum, readLines, toLines } from '../http/make-batch.ts'

/** What a user of the HTTP API does with a batch. Every look at one checks that its counts add up. */
export async function postBatch(origin: string, items: readonly object[], query = ''): Promise<Batch> {
  const response = await fetch(`${origin}/v1/batches${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: toLines(items),
  })
  const text = await response.text()
  expect(response.status, text).toBe(202)
  return JSON.parse(text) as Batch
}

export async function getBatch(origin: string, id: string): Promise<Batch> {
  const response = await fetch(`${origin}/v1/batches/${id}`)
  expect(response.status).toBe(200)
  const batch = (await response.json()) as Batch
  expectSum(batch)
  return batch
}

export async function getResults(origin: string, id: string): Promise<BatchResult[]> {
  const response = await fetch(`${origin}/v1/batches/${id}/results`)
  expect(response.status).toBe(200)
  return readLines<BatchResult>(await response.text())
}

/** Looks until the batch is as wanted. */
export async function waitUntil(
  origin: string,
  id: string,
  isWanted: (batch: Batch) => boolean,
  most_ms = 60_000,
): Promise<Batch> {
  const deadline = Date.now() + most_ms
  for (;;) {
    const batch = await getBatch(origin, id)
    if (isWanted(batch)) return batch
    if (Date.now() > deadline) throw new Error(`waited too long: ${JSON.stringify(batch)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export const waitForEnd = (origin: string, id: string, most_ms?: number): Promise<Batch> =>
  waitUntil(origin, id, ({ status }) => status === 'done' || status === 'cancelled' || status === 'parked', most_ms)

/** What two runs of the same batch must have in common. */
export const verdictsOf = (results: readonly BatchResult[]) =>
  results.map(({ item_id, status, label, failure }) => ({ item_id, status, label, failure: failure?.code ?? null }))

export const postTo = (origin: string, path: string): Promise<Response> => fetch(`${origin}${path}`, { method: 'POST' })
