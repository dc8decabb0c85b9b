import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import { sleep } from './victim.ts'

/** A user of the HTTP API with patience: a refusal that says `try again` is tried again. */
export interface Answer<T> {
  readonly status: number
  readonly body: T
}

const MOST_TRIES = 40
const AGAIN_MS = 150

/** Rejects where the connection is lost, and for any answer that is neither a success nor a refusal of the database or of a busy service. */
export async function ask<T>(origin: string, path: string, init: RequestInit = {}): Promise<Answer<T>> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(`${origin}${path}`, init)
    const text = await response.text()
    if (response.ok) return { status: response.status, body: JSON.parse(text) as T }
    const code = codeOf(text)
    const mayAgain = response.status === 503 && (code.startsWith('storage_') || code === 'overloaded')
    if (!mayAgain || tries >= MOST_TRIES) throw new Error(`${path} answered ${response.status} ${text.slice(0, 300)}`)
    await sleep(AGAIN_MS)
  }
}

function codeOf(text: string): string {
  try {
    return String((JSON.parse(text) as { code?: unknown }).code ?? '')
  } catch {
    return ''
  }
}

export const post = <T>(origin: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  ask<T>(origin, path, {
    method: 'POST',
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })

export const get = async <T>(origin: string, path: string): Promise<T> => (await ask<T>(origin, path)).body

const ENDED: readonly string[] = ['done', 'cancelled', 'parked']

/** Rejects where the service is gone, and after a minute. */
export async function untilEnd(origin: string, id: string): Promise<Batch> {
  for (let looks = 0; looks < 1200; looks++) {
    const batch = await get<Batch>(origin, `/v1/batches/${id}`)
    const { total, ...parts } = batch.counts
    const sum = Object.values(parts).reduce<number>((all, n) => all + (typeof n === 'number' ? n : 0), 0)
    if (sum !== total) throw new Error(`the counts do not add up: ${JSON.stringify(batch.counts)}`)
    if (ENDED.includes(batch.status)) return batch
    await sleep(50)
  }
  throw new Error(`the batch ${id} does not end`)
}

export interface EndedBatch {
  readonly batch: Batch
  readonly results: readonly BatchResult[]
}

export async function readEnded(origin: string, id: string): Promise<EndedBatch> {
  const batch = await untilEnd(origin, id)
  const text = await (await fetch(`${origin}/v1/batches/${id}/results`)).text()
  const lines = text.split('\n').filter((line) => line !== '')
  return { batch, results: lines.map((line) => JSON.parse(line) as BatchResult) }
}
