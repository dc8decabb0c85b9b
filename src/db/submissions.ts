import { sql as raw } from 'kysely'
import type { AttemptLedger } from './attempts.ts'
import { all, columns, type Db, insert, isIn, locked, run } from './db.ts'
import { refusal } from './errors.ts'
import { type Bounds, countWithin, endCalls } from './ledger.ts'
import { createRequests, SUBMISSION_IS_OPEN, VOID, wakeItems } from './requests.ts'
import type { Attempt, Submission } from './schema.ts'
import { unpackText } from './text.ts'

/** The columns of a submission that a sender needs. */
const SENT = ['id', 'judge', 'batch', 'status', 'provider_id', 'recorded_at', 'requests'] as const

export interface SubmissionRecord extends Readonly<Pick<Submission, (typeof SENT)[number]>> {
  /** A process sends the submission right now. */
  readonly is_being_sent: boolean
}

/** The part of a batch that lies with its provider now. */
export interface ProviderRound {
  /** Submissions of the batch that came back before, plus 1. */
  readonly number: number
  readonly questions: number
  readonly begun_at: string
  /** The median of the judge’s newest twenty submissions that came back; null: none has. */
  readonly usual_seconds: number | null
}

export type SubmissionLimits = Bounds

/** The mark of a sending ends by itself after this time, so that a dead process holds no submission. */
const SENDING_MS = 30_000

export type Submissions = ReturnType<typeof createSubmissions>

/**
 * Questions in a provider’s batch endpoint. A submission is recorded before it is sent; an answer is recorded before it is used; each answer counts
 * once, however often it is read. An unknown submission changes nothing, but for `markSubmitted`, which rejects.
 */
export const createSubmissions = (db: Db, attempts: Pick<AttemptLedger, 'adopt'>) => ({
  adopt: attempts.adopt,
  ...createRequests(db),
  /**
   * Takes the oldest queued requests of a judge, within the limits, into one recorded submission; null: none is queued. A single request over
   * `most_bytes` is taken alone.
   */
  record: ({ at, ...submission }: NewSubmission, limits: SubmissionLimits): Promise<SubmissionRecord | null> =>
    db.write(async (sql) => {
      const { batch, judge } = submission
      const queued = await all<Pick<Attempt, 'seq' | 'bytes'>>(sql)`
        SELECT seq, bytes FROM attempts WHERE batch = ${batch} AND judge = ${judge} AND outcome = 'queued'
        ORDER BY seq LIMIT ${limits.most_requests} ${locked(db)}`
      const sizes = queued.map(({ bytes }) => bytes ?? 0)
      const chosen = queued.slice(0, countWithin(sizes, limits)).map(({ seq }) => seq)
      if (chosen.length === 0) return null
      const row = { ...submission, status: 'recorded', requests: chosen.length, recorded_at: at } as const
      await insert(sql, 'submissions', row)
      await run(sql)`UPDATE attempts SET outcome = 'sent', submission = ${row.id} WHERE ${isIn(db, 'seq', chosen)}`
      return { ...row, provider_id: null, is_being_sent: false }
    }),
  /** Lists ids and lines of a submission’s requests without an answer, in their order. */
  async lines(id: string): Promise<readonly { readonly id: string; readonly line: string }[]> {
    const rows = await all<Pick<Attempt, 'id' | 'line'>>(db.read)`
      SELECT id, line FROM attempts WHERE submission = ${id} AND outcome = 'sent' ORDER BY seq`
    return rows.map((row) => ({ id: row.id, line: unpackText(row.line ?? Buffer.alloc(0)) }))
  },
  /** Marks that this process sends a submission; false where another process sends it. `isOwn`: the mark of this process is renewed. */
  sending: (id: string, now: Date, isOwn = false): Promise<boolean> =>
    db.write(async (sql) => {
      const until = new Date(now.getTime() + SENDING_MS).toISOString()
      const free = isOwn ? raw`` : raw`AND (sending_until IS NULL OR sending_until < ${now.toISOString()})`
      const marked = run(sql)`
        UPDATE submissions SET sending_until = ${until} WHERE id = ${id} AND status = 'recorded' ${free}`
      return (await marked) > 0
    }),
  /** Marks that no process sends the submission; null: none of the submissions, whose senders have died. */
  async sent(id: string | null): Promise<void> {
    const which = id === null ? raw`` : raw`WHERE id = ${id}`
    await db.write((sql) => run(sql)`UPDATE submissions SET sending_until = NULL ${which}`)
  },
  /** Stores the provider’s id; the same id twice is fine, another id for the same submission is refused. */
  async markSubmitted(id: string, providerId: string): Promise<void> {
    const marked = await db.write(
      (sql) => run(sql)`UPDATE submissions SET status = 'submitted', provider_id = ${providerId} WHERE id = ${id}
        AND (status = 'recorded' OR (status = 'submitted' AND provider_id = ${providerId}))`,
    )
    if (marked === 0) throw refusal(`the submission ${id} is not waiting to be sent`)
  },
  /**
   * Ends a submission that surely never reached the provider, or ran nothing; its requests are queued again. `providerId`: the id under which the
   * submission ran nothing; null: it was never sent. Changes nothing where the submission has another id by now.
   */
  withdraw: (id: string, detail: string, at: string, providerId: string | null = null): Promise<void> =>
    db.write(async (sql) => {
      const same = providerId === null ? raw`provider_id IS NULL` : raw`provider_id = ${providerId}`
      const ended = await run(sql)`UPDATE submissions SET status = 'failed', detail = ${detail}, ended_at = ${at}
        WHERE id = ${id} AND ${SUBMISSION_IS_OPEN} AND ${same}`
      if (ended === 0) return
      await run(sql)`
        UPDATE attempts SET outcome = 'queued', submission = NULL WHERE submission = ${id} AND outcome = 'sent'`
    }),
  /** Describes the part of a batch that lies with its provider; null: nothing does. */
  async round(batch: string): Promise<ProviderRound | null> {
    const ofBatch = await all<Submission>(db.read)`SELECT * FROM submissions WHERE batch = ${batch} ORDER BY seq`
    const open = ofBatch.filter(({ status }) => status === 'recorded' || status === 'submitted')
    const [oldest] = open
    if (oldest === undefined) return null
    const past = await all<Submission>(db.read)`
      SELECT recorded_at, ended_at FROM submissions WHERE judge = ${oldest.judge} AND status = 'ended'
      ORDER BY seq DESC LIMIT 20`
    return {
      number: ofBatch.filter(({ status }) => status === 'ended').length + 1,
      questions: open.reduce((sum, { requests }) => sum + requests, 0),
      begun_at: oldest.recorded_at,
      usual_seconds: median(past.map((row) => (Date.parse(row.ended_at ?? '') - Date.parse(row.recorded_at)) / 1000)),
    }
  },
  /** Lists recorded and submitted submissions of a batch, oldest first. */
  async listOpen(batch: string, now: Date): Promise<readonly SubmissionRecord[]> {
    const rows = await all<Pick<Submission, (typeof SENT)[number] | 'sending_until'>>(db.read)`
      SELECT ${columns(SENT)}, sending_until FROM submissions WHERE batch = ${batch} AND ${SUBMISSION_IS_OPEN} ORDER BY seq`
    return rows.map(({ sending_until, ...row }) => ({
      ...row,
      is_being_sent: sending_until !== null && sending_until > now.toISOString(),
    }))
  },
  /** Ends a submission: requests without an answer are `void`, and their items go on. */
  close: (id: string, detail: string, at: string): Promise<void> =>
    db.write(async (sql) => {
      await wakeItems(db, sql, await endCalls(sql, raw`submission = ${id} AND outcome = 'sent'`, VOID))
      await run(sql)`
        UPDATE submissions SET status = 'ended', detail = ${detail}, ended_at = ${at} WHERE id = ${id} AND ${SUBMISSION_IS_OPEN}`
    }),
})

export interface NewSubmission extends Pick<SubmissionRecord, 'id' | 'batch' | 'judge'> {
  readonly at: string
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
