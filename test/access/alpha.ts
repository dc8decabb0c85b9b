import type { Review } from '../../src/schemas/audit/review.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { finish, makeItems } from '../http/make-batch.ts'
import type { AnsweringApp } from './answering-app.ts'
import { asHolder, holdKey, type KeyHolder } from './make-keys.ts'

/** A word that stands in what project alpha stores, and nowhere else. */
export const MARK = 'alpha-was-here'

/** What project alpha has: one of everything that another project could try to get at. */
export interface Alpha {
  readonly holder: KeyHolder
  /** Its first request, whose bytes are answered from its cache. */
  readonly request: object
  readonly trajectory: string
  readonly grade: string
  readonly review: string
  readonly question: string
  /** Done, with three items. */
  readonly batch: string
  readonly batchKey: string
  readonly regrade: string
  /** It would go on if anybody told it to. */
  readonly parked: string
  readonly idempotencyKey: string
}

export async function makeAlpha(app: AnsweringApp): Promise<Alpha> {
  const holder = await holdKey(app, { project: 'alpha' })
  const own = asHolder(app, holder)
  const end = async (response: { json<T>(): T }) => (await finish(own, response.json<Batch>().id)).batch.id
  const metadata = { task: MARK, agent: MARK }
  const items = (n: number, judge: string) => makeItems(n, { metadata, judge })
  const { item_id: _, ...request } = items(1, 'scripted')[0] as Record<string, unknown>
  const idempotencyKey = `${MARK}-once`
  const grade = (await holder.post('/v1/grades', request, { 'idempotency-key': idempotencyKey })).json<Grade>()
  // Without the header, so that the bytes themselves are known.
  await holder.post('/v1/grades', request)
  const review = await holder.post(`/v1/grades/${grade.id}/reviews`, {
    rater: MARK,
    label: 'ignored',
    claims: { observed: true, cue_acted: false, distractor_acted: false },
  })
  const batchKey = `${MARK}-key`
  const batch = await end(await holder.post('/v1/batches', { items: items(3, 'scripted'), key: batchKey }))
  return {
    holder,
    request,
    trajectory: grade.receipt.trajectory,
    grade: grade.id,
    review: review.json<Review>().id,
    question: `${grade.receipt.trajectory}/${grade.receipt.ground_truth}`,
    batch,
    batchKey,
    regrade: await end(await holder.post('/v1/regrades', { query: { batch }, judge: 'second' })),
    parked: await end(await holder.post('/v1/batches', { items: items(2, 'broke') })),
    idempotencyKey,
  }
}
