import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import type { Batch } from '../src/schemas/batch.ts'
import { makeRequest } from './make-body.ts'

/** One NDJSON line per trial: the same salt makes the same trials. */
export function* makeLines(items: number, itemBytes: number, salt: string): Generator<string> {
  for (let index = 0; index < items; index++)
    yield `${JSON.stringify({ item_id: `${index}`, ...makeRequest(itemBytes, `${salt}x${index}`) })}\n`
}

/** Takes generated trials in as NDJSON; answers the batch’s id, and how many bytes were sent. */
export async function sendBatch(
  origin: string,
  items: number,
  itemBytes: number,
  salt: string,
  judge = 'openai',
): Promise<{ id: string; bytes: number }> {
  let bytes = 0
  const lines = function* () {
    for (const line of makeLines(items, itemBytes, salt)) {
      const chunk = Buffer.from(line)
      bytes += chunk.length
      yield chunk
    }
  }
  const answer = await request(`${origin}/v1/batches?judge=${judge}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Readable.from(lines(), { highWaterMark: 16 }),
    headersTimeout: 600_000,
  })
  if (answer.statusCode !== 202) throw new Error(`HTTP ${answer.statusCode}: ${await answer.body.text()}`)
  return { id: ((await answer.body.json()) as Batch).id, bytes }
}

/** Null where the service does not answer, or not with the batch. */
async function lookAt(origin: string, id: string): Promise<Batch | null> {
  try {
    const answer = await request(`${origin}/v1/batches/${id}`)
    const text = await answer.body.text()
    return answer.statusCode === 200 ? (JSON.parse(text) as Batch) : null
  } catch {
    return null
  }
}

/** Until the batch has ended. Rejects after `patience_s`, and where it waits for somebody. */
export async function waitForEnd(
  origin: string,
  id: string,
  patience_s: number,
  onLook: (batch: Batch) => void = () => undefined,
): Promise<Batch> {
  const until = Date.now() + patience_s * 1000
  for (;;) {
    const batch = await lookAt(origin, id)
    if (batch !== null) onLook(batch)
    if (batch !== null && batch.finished_at !== null) return batch
    if (batch?.status === 'parked' && batch.resumes_at === null)
      throw new Error(`the batch parked: ${batch.parked_reason}`)
    if (Date.now() > until) throw new Error(`given up after ${patience_s} s: ${JSON.stringify(batch)}`)
    await delay(200)
  }
}
