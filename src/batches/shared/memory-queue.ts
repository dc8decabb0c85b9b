import {
  leaseName,
  rankOf,
  type SliceJob,
  type SliceQueue,
  type SliceWork,
  type Survey,
} from '../../ports/slice-ports.ts'

interface Entry {
  readonly job: SliceJob
  /** By `Date.now()`; null: it waits. */
  fetched: number | null
}

/** Work of one process, for itself: nobody else hears of it, and it is gone with the process. */
export function createMemoryQueue(): SliceQueue {
  const entries = new Map<string, Entry>()
  const keyOf = (work: SliceWork) => `${work.project}/${leaseName(work)}`
  /** What was fetched by this very attempt. */
  const attempts = (jobs: readonly SliceJob[]) =>
    jobs.flatMap((job) => {
      const entry = entries.get(keyOf(job))
      return entry !== undefined && entry.fetched !== null && entry.job.attempt === job.attempt ? [entry] : []
    })
  return {
    async plan(work) {
      for (const one of work) {
        const key = keyOf(one)
        if (!entries.has(key)) entries.set(key, { job: { ...one, id: key, attempt: 0 }, fetched: null })
      }
    },
    async fetch(judge, most, without = []) {
      const waiting = [...entries.values()].filter(
        ({ job, fetched }) => fetched === null && job.judge === judge && !without.includes(job.project),
      )
      const first = waiting.sort((one, other) => rankOf(one.job) - rankOf(other.job)).slice(0, most)
      return first.map(({ job }) => {
        const taken = { ...job, attempt: job.attempt + 1 }
        entries.set(job.id, { job: taken, fetched: Date.now() })
        return taken
      })
    },
    async complete(jobs) {
      for (const { job } of attempts(jobs)) entries.delete(job.id)
    },
    async giveBack(jobs) {
      for (const entry of attempts(jobs)) entry.fetched = null
    },
    async survey(work, seconds): Promise<Survey> {
      const before = Date.now() - seconds * 1000
      const known = work.map((one) => ({ one, entry: entries.get(keyOf(one)) }))
      return {
        missing: known.flatMap(({ one, entry }) => (entry === undefined ? [one] : [])),
        old: known.flatMap(({ entry }) =>
          entry !== undefined && entry.fetched !== null && entry.fetched < before ? [entry.job] : [],
        ),
      }
    },
    forsaken: async () => [
      ...new Set([...entries.values()].flatMap(({ job, fetched }) => (fetched === null ? (job.judge ?? []) : []))),
    ],
    close: async () => undefined,
  }
}
