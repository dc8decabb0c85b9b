import type { Batch } from '../../src/schemas/batch.ts'
import { callsOfAll, labelsOf, makeTrials } from '../e2e/trials.ts'
import { toLines } from '../http/make-batch.ts'
import { makeTemplate, type Operation, provideBatches, provideCalls } from './operation.ts'
import { ask, type EndedBatch, get, post, readEnded, untilEnd } from './user.ts'

export const ITEMS = 8
/** A re-grade takes the newest first: what counts is which labels come out. */
const sorted = (labels: readonly (string | null)[]) => JSON.stringify(labels.map(String).sort())
const LABELS = labelsOf(ITEMS)

export async function sendBatch(origin: string, query = '', items = ITEMS): Promise<string> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const body = toLines(makeTrials(items, 'mock'))
  return (await ask<Batch>(origin, `/v1/batches?key=k${query}`, { method: 'POST', headers, body })).body.id
}

/** The batch of a key; who was not answered looks for it before he sends again. */
export async function findBatch(origin: string, key: string): Promise<Batch | null> {
  const { items } = await get<{ items: Batch[] }>(origin, `/v1/batches?key=${key}`)
  if (items.length > 1) throw new Error(`${items.length} batches have the key ${key}`)
  return items[0] ?? null
}

const verifyLabels = (end: unknown, _world: unknown, ack: string | null): readonly string[] => {
  const { batch, results } = end as EndedBatch
  const labels = results.map((one) => one.label)
  const isRight =
    batch.kind === 'grade' ? JSON.stringify(labels) === JSON.stringify(LABELS) : sorted(labels) === sorted(LABELS)
  return [
    ...(batch.status === 'done' ? [] : [`the batch is ${batch.status}: ${batch.parked_reason}`]),
    ...(isRight ? [] : [`the labels are ${labels.join(', ')}`]),
    ...(ack === null || ack === batch.id ? [] : [`${ack} was acknowledged, and ${batch.id} is there`]),
  ]
}

const batchWith = (query: string) => ({
  /** Acknowledged is the batch; what happens after that may kill the service. */
  act: async (origin: string, _world: unknown, gone: AbortSignal) => {
    const known = await sendBatch(origin, query)
    await untilEnd(origin, known).catch((error: unknown) => rethrowUnless(gone, error))
    return known
  },
  complete: async (origin: string) => {
    const id = (await findBatch(origin, 'k'))?.id ?? (await sendBatch(origin, query))
    return readEnded(origin, id)
  },
  verify: verifyLabels,
})

/** The service may be known to be gone only a moment after its connection is. */
async function rethrowUnless(gone: AbortSignal, error: unknown): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 200))
  if (!gone.aborted) throw error
}

export const batch: Operation<string> = {
  name: 'batch',
  promise: 'whole or not there; every item ends as it would have, none twice; counts and money add up',
  provide: provideCalls(2),
  ...batchWith(''),
  calls: callsOfAll(ITEMS),
  at_once: 2,
  errors: true,
}

const providerBatch = (provider: 'openai' | 'anthropic'): Operation<string> => ({
  name: `provider batch (${provider})`,
  promise: 'sent once, collected once: no question is answered twice, no answer is lost',
  provide: provideBatches(provider),
  ...batchWith('&mode=provider'),
  calls: callsOfAll(ITEMS),
  at_once: 0,
  errors: true,
})
export const openAiBatch = providerBatch('openai')
export const anthropicBatch = providerBatch('anthropic')

const done = makeTemplate(provideCalls(4), async (origin) => readEnded(origin, await sendBatch(origin)))

const regradeWith = (name: string, change: object, calls: number): Operation<string> => ({
  name,
  promise: 'as a batch; the old grades stay as they are',
  template: done,
  provide: provideCalls(2),
  act: async (origin, _world, gone) => {
    const { id } = (await post<Batch>(origin, '/v1/regrades', { query: { judge: 'mock' }, key: 'r', ...change })).body
    await untilEnd(origin, id).catch((error: unknown) => rethrowUnless(gone, error))
    return id
  },
  complete: async (origin) => {
    const known = await findBatch(origin, 'r')
    if (known !== null) return readEnded(origin, known.id)
    const again = { query: { judge: 'mock' }, key: 'r', ...change }
    return readEnded(origin, (await post<Batch>(origin, '/v1/regrades', again)).body.id)
  },
  verify: verifyLabels,
  calls,
  at_once: 2,
  errors: true,
})
export const regrade = regradeWith('re-grade with two samples', { samples: 2 }, 2 * callsOfAll(ITEMS))
export const recheck = regradeWith('re-grade, recheck', { recheck: true }, 0)

const cancelled = (end: unknown, _world: unknown, ack: string | null): readonly string[] => {
  const { batch: ended } = end as EndedBatch
  const { pending, running, failed, total } = ended.counts
  return [
    ...(ack === null || ended.status === 'cancelled' ? [] : [`the cancel was acknowledged, and it is ${ended.status}`]),
    ...(pending + running + failed === 0 && total === ITEMS ? [] : [`counts: ${JSON.stringify(ended.counts)}`]),
  ]
}

/** Its calls depend on how far the batch came: the ledger alone says whether they are right. */
export const cancel: Operation<string> = {
  name: 'cancel',
  promise: 'a cancel that was acknowledged holds: nothing is asked any more',
  provide: async () => ({ ...(await provideCalls(1, 150)()), billed: () => 0 }),
  act: async (origin) => {
    const id = await sendBatch(origin)
    await post(origin, `/v1/batches/${id}/cancel`)
    await untilEnd(origin, id).catch(() => undefined)
    return id
  },
  complete: async (origin) => {
    const id = (await findBatch(origin, 'k'))?.id ?? (await sendBatch(origin))
    return readEnded(origin, id)
  },
  verify: cancelled,
  calls: 0,
  at_once: 0,
  errors: true,
}

/** Its judge was not configured: the batch waits for somebody. */
const parked = makeTemplate(
  async () => {
    const { config } = await provideCalls(2)()
    const { judges } = config as { judges: { mock: object } }
    return { config: { judges: { mock: { ...judges.mock, base_url: 'http://127.0.0.1:9/v1' } } }, billed: () => 0 }
  },
  async (origin) => readEnded(origin, await sendBatch(origin)),
)

export const resume: Operation<string> = {
  name: 'resume',
  promise: 'a parked batch that was told to go on goes on, also after a crash',
  template: parked,
  provide: provideCalls(2),
  act: async (origin, _world, gone) => {
    const known = await findBatch(origin, 'k')
    if (known === null) throw new Error('the parked batch is gone')
    await post(origin, `/v1/batches/${known.id}/resume`)
    await untilEnd(origin, known.id).catch((error: unknown) => rethrowUnless(gone, error))
    return known.id
  },
  complete: async (origin, _world, ack) => {
    const known = await findBatch(origin, 'k')
    if (known === null) throw new Error('the parked batch is gone')
    if (ack === null && known.status === 'parked') await post(origin, `/v1/batches/${known.id}/resume`)
    return readEnded(origin, known.id)
  },
  verify: verifyLabels,
  calls: callsOfAll(ITEMS),
  at_once: 2,
  errors: false,
}
