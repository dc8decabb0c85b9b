import { PgBoss } from 'pg-boss'
import type { Sql } from '../db/db.ts'
import type { Chunk } from '../db/items.ts'
import type { JobHandlers, Jobs, Poll } from './jobs.ts'

/** The schema of pg-boss’s own tables. */
const SCHEMA = 'veridict_jobs'
const CONNECTIONS = 4
const QUEUE = {
  notify: true,
  // A worker that sends no heartbeat for so long is dead: its chunks go to another worker.
  heartbeatSeconds: 10,
  expireInSeconds: 23 * 3600,
  ...{ retryLimit: 1000, retryDelay: 1 },
  // Ended jobs stay so long.
  deleteAfterSeconds: 600,
  retentionSeconds: 14 * 24 * 3600,
}
const REFRESH_S = 3
const MONITOR_S = 2
/**
 * Between two looks of a worker of pg-boss without work. Each judge has one that looks often, for jobs that come back after a time; notices wake the
 * others, and the end of a chunk lets its worker look again at once. Without these settings a worker sleeps for 30 s after each job.
 */
const LOOK_S = 0.5
const SELDOM_LOOK_S = 5
/** Between two errors of pg-boss for the log: an outage meets each of its workers. */
const ERRORS_MS = 10_000
/** Ended jobs are deleted so often: without this setting once a day. */
const DELETE_S = 60
const INSERTED_AT_ONCE = 1000
/** The batches of jobs that have not ended, by the keys that `addChunks` and `addPoll` give. */
const OPEN_BATCHES = `SELECT DISTINCT split_part(singleton_key, ':', 1) AS batch FROM ${SCHEMA}.job WHERE state < 'completed'`

interface BossOptions {
  readonly url: string
  /** Chunks of a judge that this process runs at once. */
  readonly chunksAtOnce: (judge: string) => number
  readonly onError: (error: unknown) => void
}

/** The jobs of all processes of a PostgreSQL. */
export class BossJobs implements Jobs {
  private readonly options: BossOptions
  private readonly boss: PgBoss
  private readonly queues = new Map<string, Promise<void>>()
  /** The queues on whose jobs this process works. */
  private readonly worked = new Set<string>()
  private starting: Promise<unknown> | null = null
  private lastError = Number.NEGATIVE_INFINITY
  private readonly running = new Set<Promise<unknown>>()
  private readonly stopping = new AbortController()

  constructor(options: BossOptions) {
    this.options = options
    this.boss = new PgBoss({
      connectionString: options.url,
      schema: SCHEMA,
      max: CONNECTIONS,
      application_name: 'veridict-jobs',
      useListenNotify: true,
      monitorIntervalSeconds: MONITOR_S,
      superviseIntervalSeconds: MONITOR_S,
      maintenanceIntervalSeconds: DELETE_S,
      monitorVacuum: false,
    })
    this.boss.on('error', (error) => this.tell(error))
  }

  private tell(error: unknown): void {
    if (Date.now() - this.lastError < ERRORS_MS) return
    this.lastError = Date.now()
    this.options.onError(error)
  }

  async addChunks(chunks: readonly Chunk[], sql?: Sql): Promise<void> {
    // pg-boss writes within our unit of work.
    const within = sql && {
      db: { executeSql: (text: string, values: unknown[] = []) => sql.query<Record<string, unknown>>(text, values) },
    }
    for (const [judge, some] of Map.groupBy(chunks, (chunk) => chunk.judge)) {
      const queue = await this.open('judge', judge)
      // The beginnings of all batches come first.
      const toJob = (data: Chunk) => ({ data, singletonKey: `${data.batch}:${data.chunk}`, priority: -data.chunk })
      for (let from = 0; from < some.length; from += INSERTED_AT_ONCE)
        await this.boss.insert(queue, some.slice(from, from + INSERTED_AT_ONCE).map(toJob), within)
    }
  }

  async addPoll(poll: Poll, delay_ms: number): Promise<void> {
    const queue = await this.open('provider', poll.judge)
    await this.boss.send(queue, poll, { singletonKey: poll.batch, startAfter: Math.ceil(delay_ms / 1000) })
  }

  async busy(): Promise<ReadonlySet<string>> {
    await this.begin()
    const { rows } = await this.boss.getDb().executeSql(OPEN_BATCHES, [])
    return new Set((rows as readonly { readonly batch: string }[]).map(({ batch }) => batch))
  }

  async start(judges: readonly string[], handlers: JobHandlers): Promise<void> {
    for (const judge of judges) {
      const chunks = await this.open('judge', judge)
      const polls = await this.open('provider', judge)
      for (const queue of [chunks, polls]) this.worked.add(queue)
      for (let at = 0; at < this.options.chunksAtOnce(judge); at++) {
        const look = lookEvery(at === 0 ? LOOK_S : SELDOM_LOOK_S)
        const worker: string = await this.boss.work<Chunk>(chunks, look, async ([job]) => {
          if (job === undefined) return
          const signal = AbortSignal.any([this.stopping.signal, job.signal])
          try {
            if (!signal.aborted) await this.track(handlers.runChunk(job.data, signal))
          } finally {
            this.boss.notifyWorker(worker)
          }
          // A job that ends well is done: its open items would wait for the next sweep.
          this.stopping.signal.throwIfAborted()
        })
      }
      await this.boss.work<Poll>(polls, lookEvery(LOOK_S), async ([job]) => {
        if (job === undefined || this.stopping.signal.aborted) return
        const next = await this.track(handlers.poll(job.data))
        if (next !== null) await this.addPoll(job.data, next)
      })
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const queue of this.worked) await this.boss.offWork(queue, { wait: false })
    while (this.running.size > 0) await Promise.allSettled(this.running)
    if (this.starting === null) return
    await this.starting.catch(() => undefined)
    await this.boss.stop({ graceful: true, timeout: 5000 })
  }

  private begin(): Promise<unknown> {
    this.starting ??= this.boss.start().catch((error: unknown) => {
      this.starting = null
      throw error
    })
    return this.starting
  }

  /** Opens the queue of a judge for its chunks or for the polls of its provider; the queue is made where it is missing. */
  private async open(kind: 'judge' | 'provider', judge: string): Promise<string> {
    await this.begin()
    const name = `${kind}.${nameOf(judge)}`
    const opening =
      this.queues.get(name) ??
      this.boss.createQueue(name, { policy: kind === 'judge' ? 'exclusive' : 'stately', ...QUEUE })
    this.queues.set(name, opening)
    await opening.catch((error: unknown) => {
      // The next call tries again.
      this.queues.delete(name)
      throw error
    })
    return name
  }

  private track<T>(work: Promise<T>): Promise<T> {
    const forget = () => void this.running.delete(work)
    this.running.add(work)
    work.then(forget, forget)
    return work
  }
}

const lookEvery = (seconds: number) => ({
  batchSize: 1,
  pollingIntervalSeconds: seconds,
  notifyPollingIntervalSeconds: seconds,
  heartbeatRefreshSeconds: REFRESH_S,
})

/** Names a judge within the characters of a queue’s name. */
const nameOf = (judge: string): string =>
  judge.replaceAll(/[^\w.-]/g, (char) => `/${char.codePointAt(0)?.toString(16) ?? ''}/`)
