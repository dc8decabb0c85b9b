import { setTimeout as delay } from 'node:timers/promises'
import type { Batch } from '../../src/schemas/batch.ts'
import { sendBatch, waitForEnd } from '../batch-client.ts'
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

const PATIENCE_S = 3600

/** Takes a batch in as NDJSON and waits for its end. */
export async function runBatch(origin: string, items: number, bytes: number, judge = 'openai'): Promise<Batch> {
  const { id } = await sendBatch(origin, items, bytes, Date.now().toString(36), judge)
  return waitForEnd(origin, id, PATIENCE_S)
}
