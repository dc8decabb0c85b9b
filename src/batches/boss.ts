import { PgBoss } from 'pg-boss'
import type { Chunk } from '../db/items.ts'
import { createInFlight } from '../grading/in-flight.ts'
import type { Jobs, Poll } from './jobs.ts'

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
const POLICIES = { judge: 'exclusive', provider: 'stately' } as const
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
/** The batches of jobs that have not ended, by the keys that `addChunks` and `addPoll` give. */
const OPEN_BATCHES = `SELECT DISTINCT split_part(singleton_key, ':', 1) AS batch FROM ${SCHEMA}.job WHERE state < 'completed'`

interface BossOptions {
  readonly url: string
  /** Chunks of a judge that this process runs at once. */
  readonly chunksAtOnce: (judge: string) => number
  readonly onError: (error: unknown) => void
}

/** Creates the jobs of all processes of a PostgreSQL. */
export function createBossJobs({ url, chunksAtOnce, onError }: BossOptions): Jobs {
  const queues = new Map<string, Promise<void>>()
  /** The queues on whose jobs this process works. */
  const worked = new Set<string>()
  const { track, settled } = createInFlight()
  const stopping = new AbortController()
  let starting: Promise<unknown> | null = null
  let lastError = Number.NEGATIVE_INFINITY
  const boss = new PgBoss({
    connectionString: url,
    schema: SCHEMA,
    max: CONNECTIONS,
    application_name: 'veridict-jobs',
    useListenNotify: true,
    monitorIntervalSeconds: MONITOR_S,
    superviseIntervalSeconds: MONITOR_S,
    maintenanceIntervalSeconds: DELETE_S,
    monitorVacuum: false,
  })
  boss.on('error', (error) => {
    if (Date.now() - lastError < ERRORS_MS) return
    lastError = Date.now()
    onError(error)
  })

  function begin(): Promise<unknown> {
    starting ??= boss.start().catch((error: unknown) => {
      starting = null
      throw error
    })
    return starting
  }

  /** Opens the queue of a judge for its chunks or for the polls of its provider; the queue is made where it is missing. */
  async function open(kind: keyof typeof POLICIES, judge: string): Promise<string> {
    await begin()
    const name = `${kind}.${nameOf(judge)}`
    const opening = queues.get(name) ?? boss.createQueue(name, { policy: POLICIES[kind], ...QUEUE })
    queues.set(name, opening)
    await opening.catch((error: unknown) => {
      // The next call tries again.
      queues.delete(name)
      throw error
    })
    return name
  }

  async function addPoll(poll: Poll, delay_ms: number): Promise<void> {
    const queue = await open('provider', poll.judge)
    await boss.send(queue, poll, { singletonKey: poll.batch, startAfter: Math.ceil(delay_ms / 1000) })
  }

  return {
    addPoll,
    async addChunks(chunks, sql) {
      // pg-boss writes within our unit of work.
      const within = sql && {
        db: { executeSql: (text: string, values: unknown[] = []) => sql.query<Record<string, unknown>>(text, values) },
      }
      for (const [judge, some] of Map.groupBy(chunks, (chunk) => chunk.judge)) {
        const queue = await open('judge', judge)
        // The beginnings of all batches come first.
        const toJob = (data: Chunk) => ({ data, singletonKey: `${data.batch}:${data.chunk}`, priority: -data.chunk })
        await boss.insert(queue, some.map(toJob), within)
      }
    },
    async busy() {
      await begin()
      const { rows } = await boss.getDb().executeSql(OPEN_BATCHES, [])
      return new Set((rows as readonly { readonly batch: string }[]).map(({ batch }) => batch))
    },
    async start(judges, handlers) {
      for (const judge of judges) {
        const chunks = await open('judge', judge)
        const polls = await open('provider', judge)
        for (const queue of [chunks, polls]) worked.add(queue)
        for (let at = 0; at < chunksAtOnce(judge); at++) {
          const look = lookEvery(at === 0 ? LOOK_S : SELDOM_LOOK_S)
          const worker: string = await boss.work<Chunk>(chunks, look, async ([job]) => {
            if (job === undefined) return
            const signal = AbortSignal.any([stopping.signal, job.signal])
            try {
              if (!signal.aborted) await track(handlers.runChunk(job.data, signal))
            } finally {
              boss.notifyWorker(worker)
            }
            // A job that ends well is done: its open items would wait for the next sweep.
            stopping.signal.throwIfAborted()
          })
        }
        await boss.work<Poll>(polls, lookEvery(LOOK_S), async ([job]) => {
          if (job === undefined || stopping.signal.aborted) return
          const next = await track(handlers.poll(job.data))
          if (next !== null) await addPoll(job.data, next)
        })
      }
    },
    async stop() {
      stopping.abort()
      for (const queue of worked) await boss.offWork(queue, { wait: false })
      await settled()
      if (starting === null) return
      await starting.catch(() => undefined)
      await boss.stop({ graceful: true, timeout: 5000 })
    },
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
