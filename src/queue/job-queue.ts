import { PgBoss } from 'pg-boss'
import { leaseName, rankOf, type SliceJob, type SliceQueue, type SliceWork, type Survey } from '../ports/slice-ports.ts'
import { judgeOf, queueName } from './queue-names.ts'

interface JobQueueSettings {
  /** As for the store; TLS by its `sslmode`. */
  readonly url: string
  readonly connect_timeout_ms: number
  readonly statement_timeout_ms: number
  /** A process that says nothing for so long loses what it fetched; at least ten, which is what pg-boss takes. */
  readonly silence_s: number
  /** What went wrong behind the scenes; told once a minute at the most. */
  readonly onError: (error: unknown) => void
}

/** One for all projects of a database, with a name that no project can have. Its rows are only hints: it needs no backup. */
const SCHEMA = 'veridict_job_queue'
const CONNECTIONS = 2
const NOT_ALLOWED = '42501'
const MOST_RETRIES = 100_000
/** Ended jobs are looked at by nobody but operators. */
const KEPT_S = 600
const PLANNED_AT_ONCE = 500
const TOLD_EVERY_MS = 60_000
const GRACE_MS = 5_000

/** Work over pg-boss. Connects when it is first used, and again where that failed. */
export function createJobQueue(settings: JobQueueSettings): SliceQueue {
  return new JobQueue(settings)
}

interface Row {
  readonly name: string
  readonly key: string
  readonly id: string
  readonly attempt: number
  readonly old: boolean
}

const SURVEY = `
  SELECT name, singleton_key AS key, id, retry_count AS attempt,
    state = 'active' AND started_on < now() - make_interval(secs => $3) AS old
  FROM ${SCHEMA}.job WHERE name = $1 AND policy = 'exclusive' AND state <= 'active' AND COALESCE(singleton_key, '') = ANY($2)`

/** A worker that has the judge fetches at once what waits, unless it is working at its limit. */
const FORSAKEN = `
  SELECT name FROM ${SCHEMA}.queue AS queue
  WHERE EXISTS (
    SELECT 1 FROM ${SCHEMA}.job WHERE job.name = queue.name AND state < 'active'
      AND greatest(created_on, start_after) < now() - make_interval(secs => $1)
  ) AND NOT EXISTS (
    SELECT 1 FROM ${SCHEMA}.job WHERE job.name = queue.name
      AND (state = 'active' OR state = 'completed' AND completed_on > now() - make_interval(secs => $1))
  )`

class JobQueue implements SliceQueue {
  readonly #settings: JobQueueSettings
  #starting: Promise<PgBoss> | null = null
  #closed = false
  #told = 0
  readonly #made = new Set<string>()
  readonly #held = new Map<string, SliceJob>()
  readonly #touching: NodeJS.Timeout

  constructor(settings: JobQueueSettings) {
    this.#settings = settings
    this.#touching = setInterval(() => void this.#touch(), (this.#heartbeat * 1000) / 3)
    this.#touching.unref()
  }

  get #heartbeat(): number {
    return Math.max(10, this.#settings.silence_s)
  }

  async plan(work: readonly SliceWork[]): Promise<void> {
    for (const [queue, some] of byQueue(work)) {
      const boss = await this.#bossFor(queue)
      for (let at = 0; at < some.length; at += PLANNED_AT_ONCE) {
        const jobs = some.slice(at, at + PLANNED_AT_ONCE).map((one) => ({
          data: one,
          singletonKey: keyOf(one),
          group: { id: one.project },
          priority: -rankOf(one),
        }))
        await boss.insert(queue, jobs, { returnId: false })
      }
    }
  }

  async fetch(judge: string | null, most: number, without: readonly string[] = []): Promise<readonly SliceJob[]> {
    const queue = queueName(judge)
    const boss = await this.#bossFor(queue)
    const fetched = await boss.fetch<SliceWork>(queue, { batchSize: most, ignoreGroups: [...without] })
    const jobs = fetched.map(({ id, data, retryCount }) => ({ ...data, id, attempt: retryCount }))
    for (const job of jobs) this.#held.set(job.id, job)
    return jobs
  }

  complete(jobs: readonly SliceJob[]): Promise<void> {
    return this.#end(jobs, (boss, queue, attempts) => boss.complete(queue, attempts))
  }

  giveBack(jobs: readonly SliceJob[]): Promise<void> {
    return this.#end(jobs, (boss, queue, attempts) => boss.fail(queue, attempts))
  }

  async survey(work: readonly SliceWork[], seconds: number): Promise<Survey> {
    const missing: SliceWork[] = []
    const old: SliceJob[] = []
    for (const [queue, some] of byQueue(work)) {
      const boss = await this.#bossFor(queue)
      const { rows } = await boss.getDb().executeSql(SURVEY, [queue, some.map(keyOf), seconds])
      const known = new Map((rows as Row[]).map((row) => [row.key, row]))
      for (const one of some) {
        const row = known.get(keyOf(one))
        if (row === undefined) missing.push(one)
        else if (row.old) old.push({ ...one, id: row.id, attempt: row.attempt })
      }
      // Somebody may have emptied its tables, queues and all.
      if (known.size < some.length) this.#made.delete(queue)
    }
    return { missing, old }
  }

  async forsaken(): Promise<readonly string[]> {
    const boss = await this.#boss()
    const { rows } = await boss.getDb().executeSql(FORSAKEN, [Math.max(5, 2 * this.#settings.silence_s)])
    return (rows as { name: string }[]).flatMap(({ name }) => judgeOf(name) ?? [])
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#touching)
    const boss = await this.#starting?.catch(() => null)
    await boss?.stop({ graceful: false }).catch((error: unknown) => this.#tell(error))
  }

  async #end(
    jobs: readonly SliceJob[],
    say: (boss: PgBoss, queue: string, attempts: { id: string; retryCount: number }[]) => Promise<unknown>,
  ): Promise<void> {
    for (const { id } of jobs) this.#held.delete(id)
    for (const [queue, some] of byQueue(jobs)) await say(await this.#boss(), queue, some.map(attemptOf))
  }

  /** What is held stays ours for as long as we live. */
  async #touch(): Promise<void> {
    try {
      for (const [queue, jobs] of byQueue([...this.#held.values()]))
        await (await this.#boss()).touch(queue, jobs.map(attemptOf))
    } catch (error) {
      this.#tell(error)
    }
  }

  async #bossFor(queue: string): Promise<PgBoss> {
    const boss = await this.#boss()
    if (this.#made.has(queue)) return boss
    await boss.createQueue(queue, {
      policy: 'exclusive',
      retryLimit: MOST_RETRIES,
      retryDelay: 0,
      heartbeatSeconds: this.#heartbeat,
      // A batch at a provider may take a day.
      expireInSeconds: 24 * 3600,
      deleteAfterSeconds: KEPT_S,
    })
    this.#made.add(queue)
    return boss
  }

  #boss(): Promise<PgBoss> {
    if (this.#closed) return Promise.reject(new Error('the queue is closed'))
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = null
      throw error
    })
    return this.#starting
  }

  /** A user who may not make schemas is given an empty one. */
  #start(): Promise<PgBoss> {
    return this.#open(true).catch((error: unknown) => {
      if ((error as { code?: unknown } | null)?.code !== NOT_ALLOWED) throw error
      return this.#open(false)
    })
  }

  async #open(createSchema: boolean): Promise<PgBoss> {
    const { url, connect_timeout_ms, statement_timeout_ms } = this.#settings
    // What pg-boss does not know of goes on to the driver.
    const driver = { query_timeout: statement_timeout_ms === 0 ? 0 : statement_timeout_ms + GRACE_MS, keepAlive: true }
    const boss = new PgBoss({
      ...driver,
      connectionString: url,
      schema: SCHEMA,
      createSchema,
      application_name: 'veridict-jobs',
      max: CONNECTIONS,
      connectionTimeoutMillis: connect_timeout_ms,
      schedule: false,
      superviseIntervalSeconds: 10,
      monitorIntervalSeconds: 10,
      maintenanceIntervalSeconds: 300,
    })
    boss.on('error', (error) => this.#tell(error))
    try {
      await boss.start()
      return boss
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => undefined)
      throw error
    }
  }

  #tell(error: unknown): void {
    const now = Date.now()
    if (this.#closed || now - this.#told < TOLD_EVERY_MS) return
    this.#told = now
    this.#settings.onError(error)
  }
}

/** One job for each lease of each project. */
const keyOf = (work: SliceWork): string => `${work.project}/${leaseName(work)}`

const attemptOf = ({ id, attempt }: SliceJob) => ({ id, retryCount: attempt })

function byQueue<T extends SliceWork>(work: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of work) {
    const queue = queueName(one.judge)
    const group = groups.get(queue)
    if (group === undefined) groups.set(queue, [one])
    else group.push(one)
  }
  return groups
}
