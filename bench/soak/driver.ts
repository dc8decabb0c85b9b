import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import type { Batch } from '../../src/schemas/batch.ts'
import { makeRequest } from '../make-body.ts'
import type { Rates } from './phases.ts'
import type { Act, Traffic } from './traffic.ts'

/** The most requests of one kind that are on their way; one that would be more is counted as held back. */
const MOST_OPEN = 400
const TICK_MS = 50

export interface Driver {
  /** Sends for so many seconds. What is still on its way then goes on. */
  drive(rates: Rates, seconds: number): Promise<void>
  /** Resolves once nothing is on its way. */
  settled(): Promise<void>
  readonly heldBack: number
}

export function createDriver(traffic: Traffic): Driver {
  const open = new Map<Act, Set<Promise<void>>>()
  let heldBack = 0

  function send(act: Act): void {
    const mine = open.get(act) ?? new Set()
    open.set(act, mine)
    if (mine.size >= MOST_OPEN) {
      heldBack++
      return
    }
    const work = traffic.act[act]().finally(() => mine.delete(work))
    mine.add(work)
  }

  return {
    get heldBack() {
      return heldBack
    },
    async drive(rates, seconds) {
      const begun = performance.now()
      const sent = new Map<Act, number>()
      for (let passed = 0; passed < seconds; passed = (performance.now() - begun) / 1000) {
        for (const [act, rate] of Object.entries(rates) as [Act, number][]) {
          const due = Math.floor(passed * rate) + 1
          for (let count = sent.get(act) ?? 0; count < due; count++) send(act)
          sent.set(act, due)
        }
        await delay(TICK_MS)
      }
    },
    async settled() {
      await Promise.all([...open.values()].flatMap((works) => [...works]))
    },
  }
}

/** Takes a batch in as NDJSON and waits for its end. */
export async function runBatch(origin: string, items: number, bytes: number, judge = 'openai'): Promise<Batch> {
  const salt = Date.now().toString(36)
  const lines = function* () {
    for (let index = 0; index < items; index++)
      yield Buffer.from(`${JSON.stringify(makeRequest(bytes, `batch-${salt}-${index}`))}\n`)
  }
  const answer = await request(`${origin}/v1/batches?judge=${judge}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Readable.from(lines(), { highWaterMark: 8 }),
    headersTimeout: 600_000,
  })
  if (answer.statusCode !== 202) throw new Error(`HTTP ${answer.statusCode}: ${await answer.body.text()}`)
  const { id } = (await answer.body.json()) as Batch
  for (;;) {
    const looked = await request(`${origin}/v1/batches/${id}`)
    const batch = (await looked.body.json()) as Batch
    if (batch.finished_at !== null || batch.status === 'parked') return batch
    await delay(500)
  }
}
