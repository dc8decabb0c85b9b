import { PgBoss } from 'pg-boss'
import { JOBS_SCHEMA } from '../db/open/migrate.ts'
import type { Job, Jobs } from './jobs.ts'

const QUEUE = {
  notify: true,
  // A job may wait while a job with its key runs.
  policy: 'stately',
  // A worker that sends no heartbeat for so long is dead: its chunks go to another worker.
  heartbeatSeconds: 10,
  expireInSeconds: 23 * 3600,
  ...{ retryLimit: 1000, retryDelay: 1 },
  // Ended jobs stay so long.
  deleteAfterSeconds: 600,
  retentionSeconds: 14 * 24 * 3600,
}
const MONITOR_S = 2
/** Between two looks of a worker, by default 30 s. One of each judge looks often, for jobs that come back after a time. */
const LOOK_S = 0.5
/** Notices wake the others, and the end of a chunk lets its worker look again at once. */
const SELDOM_LOOK_S = 5
/** Between two errors of pg-boss for the log: an outage meets each of its workers. */
const ERRORS_MS = 10_000
/** The batches of jobs that have not ended, by the keys that `add` gives. */
const OPEN_BATCHES = `SELECT DISTINCT split_part(singleton_key, ':', 1) AS batch FROM ${JOBS_SCHEMA}.job WHERE state < 'completed'`

/** `chunksAtOnce`: chunks of a judge that this process runs at once. */
type Options = Readonly<{ url: string; chunksAtOnce: (judge: string) => number; onError: (error: unknown) => void }>

/** Lets jobs wait in a queue of earlier versions while a job with their key runs. */
const NEW_POLICY = `UPDATE ${JOBS_SCHEMA}.queue SET policy = '${QUEUE.policy}' WHERE name = $1 AND policy = 'exclusive'`

/** Lets an active job wait to be done again, which is no failure, unless a job with its key waits already. */
const WAIT_AGAIN = `UPDATE ${JOBS_SCHEMA}.job SET state = 'retry', start_after = now() + $3 * interval '1 ms',
  retry_limit = retry_count + ${QUEUE.retryLimit} WHERE id = $1 AND retry_count = $2 AND state = 'active'
  AND NOT EXISTS (SELECT 1 FROM ${JOBS_SCHEMA}.job AS other
    WHERE other.name = job.name AND other.singleton_key = job.singleton_key AND other.state < 'active')`

/** Creates the jobs of all processes of a PostgreSQL. */
export function createBossJobs({ url, chunksAtOnce, onError }: Options): Jobs {
  const queues = new Set<string>()
  const stopping = new AbortController()
  let lastError = Number.NEGATIVE_INFINITY
  const boss = new PgBoss({
    connectionString: url,
    schema: JOBS_SCHEMA,
    createSchema: false,
    max: 4,
    application_name: 'veridict-jobs',
    useListenNotify: true,
    monitorIntervalSeconds: MONITOR_S,
    superviseIntervalSeconds: MONITOR_S,
    // Ended jobs are deleted so often: by default once a day.
    maintenanceIntervalSeconds: 60,
    monitorVacuum: false,
  })
  boss.on('error', (error) => {
    if (Date.now() - lastError < ERRORS_MS) return
    lastError = Date.now()
    onError(error)
  })

  /** Starts pg-boss once; a start while it stops would wait for the jobs that call it. */
  const begin = async () => stopping.signal.aborted || boss.start()

  /** Opens the queue of a judge for its chunks or for the polls of its provider; the queue is made where it is missing. */
  async function open(kind: 'judge' | 'provider', judge: string): Promise<string> {
    await begin()
    const name = `${kind}.${nameOf(judge)}`
    if (queues.has(name)) return name
    await boss.createQueue(name, QUEUE)
    await boss.getDb().executeSql(NEW_POLICY, [name])
    queues.add(name)
    return name
  }

  async function add(jobs: readonly Job[]): Promise<void> {
    for (const some of Map.groupBy(jobs, ({ judge, chunk }) => `${chunk === null} ${judge}`).values()) {
      const [{ judge, chunk }] = some as [Job, ...Job[]]
      const keyOf = (job: Job): string => (job.chunk === null ? job.batch : `${job.batch}:${job.chunk}`)
      // The beginnings of all batches come first.
      const rows = some.map((data) => ({ data, singletonKey: keyOf(data), priority: -(data.chunk ?? 0) }))
      await boss.insert(await open(chunk === null ? 'provider' : 'judge', judge), rows)
    }
  }

  return {
    add,
    async busy() {
      await begin()
      const { rows } = await boss.getDb().executeSql(OPEN_BATCHES, [])
      return new Set((rows as readonly Pick<Job, 'batch'>[]).map(({ batch }) => batch))
    },
    async start(judges, doJob) {
      const work = async (queue: string, seconds: number) => {
        const looks = { pollingIntervalSeconds: seconds, notifyPollingIntervalSeconds: seconds }
        const options = { batchSize: 1, heartbeatRefreshSeconds: 3, ...looks }
        const worker: string = await boss.work<Job>(queue, options, async ([job]) => {
          if (job === undefined) return
          const signal = AbortSignal.any([stopping.signal, job.signal])
          const again = signal.aborted ? null : await doJob(job.data, signal).finally(() => boss.notifyWorker(worker))
          // A stopped job goes to another process at once.
          stopping.signal.throwIfAborted()
          if (again !== null) await boss.getDb().executeSql(WAIT_AGAIN, [job.id, job.retryCount, again])
        })
      }
      for (const judge of judges) {
        await work(await open('provider', judge), LOOK_S)
        const queue = await open('judge', judge)
        for (let at = 0; at < chunksAtOnce(judge); at++) await work(queue, at === 0 ? LOOK_S : SELDOM_LOOK_S)
      }
    },
    async stop() {
      stopping.abort()
      // Longer than any call.
      await boss.stop({ graceful: true, timeout: 3_600_000 })
    },
  }
}

/** Names a judge within the characters of a queue’s name. */
const nameOf = (judge: string): string =>
  judge.replaceAll(/[^\w.-]/g, (char) => `/${char.codePointAt(0)?.toString(16) ?? ''}/`)
