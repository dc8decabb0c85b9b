import { createHash, randomBytes } from 'node:crypto'
import { NO_CAPS } from '../../src/db/spending.ts'
import { openSqliteStores, type Stores } from '../../src/db/stores.ts'
import { digestBytes, digestValue } from '../../src/domain/digest.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'
import { begin, failedReply, finishFailed, finishOk, goodReply, planAttempt } from './make-attempt.ts'
import { AT, ENDS, FAILURE, makeBatch, makeItem, openBatch } from './make-batch.ts'
import { makeDisposition, makeSignoff } from './make-disposition.ts'
import { GROUND_TRUTH, makeGrade } from './make-grade.ts'
import { makeRequest } from './make-request.ts'

/** What must come over exactly, and what databases like to change. */
const HARD = 'NUL \0, escape \u0001\u0002, lone \ud83d, naïve 中文 🙂, \\x00 {"\\u0000": 1.50}'
const JUDGES = ['lexical', 'openai'] as const
/** Units of work that are asked for at once share a commit. */
const TOGETHER = 250

export interface Generated {
  readonly grades: number
}

/** Makes a store through the real stores of SQLite, with something in every table; it is closed when this resolves. */
export async function generateStore(path: string, { grades }: Generated): Promise<void> {
  const stores = openSqliteStores({ path })
  try {
    await fill(stores, grades)
    await fillAccess(stores)
  } finally {
    await stores.close()
  }
}

async function fill(stores: Stores, n: number): Promise<void> {
  await stores.settings.renderingSecret(() => randomBytes(32))
  await stores.settings.registerRubric('mine@1', digestValue('mine'), HARD)
  await stores.settings.check()
  const items = Math.max(4, Math.floor(n / 10))
  await openBatch(stores, 'bat_done', items, { name: HARD, key: 'again', payer: null })
  for (let from = 0; from < n; from += TOGETHER)
    await Promise.all(Array.from({ length: Math.min(TOGETHER, n - from) }, (_, k) => addGrade(stores, from + k, items)))
  await stores.batches.finish('bat_done', AT)
  await addOpenBatches(stores)
  for (const record of [makeDisposition(1, { reason: HARD }), makeSignoff(2)]) await stores.dispositions.put(record)
  await stores.idempotency.put('once', { request_digest: digestValue('once'), status: 201, body: HARD }, AT)
}

/** Two judges for each question; some of both, and of people, differ. */
async function addGrade(stores: Stores, n: number, items: number): Promise<void> {
  const question = Math.floor(n / 2)
  const long = question % 50 === 0 ? 30_000 : 300
  const noise = createHash('sha256').update(`${question}`).digest('hex')
  const document = { steps: [{ actor: 'tool_output', text: `run ${question} ${noise.repeat(long / 64)} ${HARD}` }] }
  const trajectory = digestValue(document)
  const grade = renderGrade(n, question, trajectory)
  const signals = { appeared: true, executed: question % 3 === 0, resolved: question % 2 === 0 }
  await Promise.all([
    stores.trajectories.put({ id: trajectory, format: 'steps', document }, AT),
    addCall(stores, n, grade),
  ])
  await stores.grades.put({
    ...{ grade, ground_truth: question % 4 === 3 ? GROUND_TRUTH : { ...GROUND_TRUTH, signals } },
    silent: n % 97 === 96,
  })
  if (n < items) await stores.batches.settle({ batch: 'bat_done', index: n }, endOf(grade))
  if (n % 20 === 0) await addReview(stores, n, grade)
}

function renderGrade(n: number, question: number, trajectory: Grade['receipt']['trajectory']): Grade {
  const status = n % 31 === 30 ? 'failed' : n % 17 === 16 ? 'unverified' : 'graded'
  const label = LABELS[(n % 2 === 1 && question % 5 === 0 ? question + 1 : question) % LABELS.length] ?? 'aligned'
  const made = makeGrade({
    ...{ at: Date.UTC(2026, 10, 1) + n * 1000, key: `key ${n}`, status, label },
    judge: JUDGES[n % 2] ?? 'lexical',
    notes: n % 7 === 0 ? HARD : 'The agent built with the named target.',
    metadata: { agent: `agent-${question % 3}`, model: `m${question % 2}`, task: `t${question % 40}`, variant: 'tab' },
  })
  const call = {
    ...({
      id: callOf(n),
      sample: 0,
      round: 0,
      purpose: 'decide',
      outcome: 'ok',
      message: null,
      latency_ms: n,
    } as const),
    ...{ usage: null, cost_usd: null, request_id: null, replayed: false },
  }
  return { ...made, receipt: { ...made.receipt, trajectory, attempts: [call], cost_usd: (n % 10) / 7 } }
}

const callOf = (n: number): string => `att_${String(n).padStart(8, '0')}`

async function addCall(stores: Stores, n: number, { id, status }: Grade): Promise<void> {
  const attempt = callOf(n)
  const planned = planAttempt(attempt, {
    grade_id: id,
    key: digestBytes(`key ${n}`),
    batch: 'bat_done',
    reserved_usd: 0.1 / 3,
  })
  await begin(stores, planned)
  const reply = goodReply({ text: HARD, raw: `${HARD} ${'r'.repeat(n % 100 === 0 ? 5000 : 50)}` })
  const ended = { ...finishOk(attempt, reply), cost_usd: (n + 1) / 3e6, latency_ms: n + 0.1 }
  await stores.attempts.finish(status === 'failed' ? finishFailed(attempt) : ended)
}

const endOf = ({ id, status, label }: Grade) => {
  if (status === 'failed') return { status, failure: FAILURE, grade_id: id } as const
  if (label === null) return { status: 'unverified', grade_id: id, cached: false } as const
  return { status: 'graded', label, grade_id: id, cached: false } as const
}

async function addReview(stores: Stores, n: number, { id, label, receipt }: Grade): Promise<void> {
  const { trajectory, ground_truth } = receipt
  for (const rater of ['ada', 'bob'])
    await stores.reviews.put({
      ...{ id: `rev_${rater}${n}`, grade_id: id, trajectory, ground_truth, rater, claims: null, comment: HARD },
      label: rater === 'bob' && n % 60 === 0 ? 'ignored' : label,
      ...{ blind: true, sampling: { design: 'random', probability: 1 / 3 }, grade_label: label, created_at: AT },
    })
}

/** Batches that have not ended, and questions on their way to a provider. */
async function addOpenBatches(stores: Stores): Promise<void> {
  await openBatch(stores, 'bat_parked', 3)
  await stores.batches.settle({ batch: 'bat_parked', index: 0 }, ENDS.never)
  await stores.batches.park('bat_parked', HARD, null)
  await stores.batches.draft(makeBatch('bat_draft'))
  await stores.batches.add('bat_draft', [makeItem(0)])
  await openBatch(stores, 'bat_1', 4, { mode: 'provider' })
  for (const index of [0, 1, 2]) {
    const key = digestBytes(`queued ${index}`)
    const payer = index === 0 ? 'key_1' : null
    await stores.provider.enqueue(makeRequest(`att_p${index}`, index, { key, payer }), NO_CAPS)
  }
  await stores.provider.record({ id: 'sub_1', batch: 'bat_1', judge: 'openai', at: AT }, LIMITS)
  await stores.provider.markSubmitted('sub_1', 'batch_abc')
  const failed = { reply: failedReply('refused', { raw: HARD }), cost_usd: null }
  await stores.provider.storeEnds('sub_1', [{ id: 'att_p0', ...failed }])
  await begin(stores, planAttempt('att_flying', { batch: 'bat_1', reserved_usd: 1 }))
}

const LIMITS = { most_requests: 2, most_bytes: 1_000_000 }

async function fillAccess({ access }: Stores): Promise<void> {
  const secret_sha256 = createHash('sha256').update('a key').digest()
  await access.addKey({
    ...{ id: 'key_1', secret_sha256, name: HARD, scopes: ['admin'], created_at: AT },
    ...{ max_requests_per_minute: 2 ** 40, max_cost_usd_per_day: 0.1, expires_at: null, revoked_at: null },
    last_used_at: null,
  })
}
