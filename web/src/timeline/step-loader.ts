import { ask, toApiError } from '../api.ts'
import type { Step, TrajectorySummary } from '../types.ts'

/** The loaded steps of a trajectory. Places are 0 to `count - 1`; ids are those of the source. */
export type StepLoader = ReturnType<typeof createStepLoader>

const PAGE = 100
const AT_ONCE = 3
/** Most UTF-16 units of a run whose steps are all loaded, for the search; of a longer run the steps on the screen are loaded. */
const LOAD_ALL_CHARS = 64 * 1024 * 1024

/**
 * Loads steps in pages: the pages on the screen, then the pages after them, then the rest. Step ids with gaps name no place of a page: then
 * the pages load in order.
 */
export function createStepLoader(summary: TrajectorySummary, onChange: () => void) {
  const { steps: count, first_step, last_step } = summary
  const dense = last_step - first_step + 1 === count
  const pages = Math.ceil(count / PAGE)
  const steps: (Step | undefined)[] = new Array(count).fill(undefined)
  const places = new Map<number, number>()
  const asked = new Set<number>()
  const stop = new AbortController()
  let cursor: string | null = null
  let wanted: readonly [number, number] = [0, 0]
  let running = 0
  let done = 0
  let trouble: string | null = null

  const keep = (first: number, items: readonly Step[]) => {
    for (const [offset, step] of items.entries()) {
      if (steps[first + offset] === undefined) done++
      steps[first + offset] = step
      places.set(step.id, first + offset)
    }
  }
  const load = async (page: number) => {
    const first = page * PAGE
    const query = dense
      ? { from: first_step + first, to: first_step + first + PAGE - 1, limit: PAGE }
      : { limit: PAGE, ...(cursor !== null && { cursor }) }
    const answer = await ask('listSteps', { path: { id: summary.id }, query }, stop.signal)
    if (!dense) cursor = answer.next_cursor
    keep(first, answer.items)
  }
  const nextPage = (): number | null => {
    if (!dense) return running === 0 && asked.size < pages ? asked.size : null
    const [first, last] = wanted
    for (let page = first; page <= Math.min(last, pages - 1); page++) if (!asked.has(page)) return page
    if (summary.chars > LOAD_ALL_CHARS) return null
    for (let offset = 0; offset < pages; offset++) {
      const page = (last + 1 + offset) % pages
      if (!asked.has(page)) return page
    }
    return null
  }
  const pump = () => {
    while (running < AT_ONCE && trouble === null) {
      const page = nextPage()
      if (page === null) return
      asked.add(page)
      running++
      load(page)
        .catch((error: unknown) => {
          asked.delete(page)
          if (!stop.signal.aborted) trouble = toApiError(error).message
        })
        .finally(() => {
          running--
          if (stop.signal.aborted) return
          pump()
          onChange()
        })
    }
  }
  pump()
  return {
    count,
    at: (index: number): Step | undefined => steps[index],
    /** Finds the place of a step id; null: not loaded yet, or no such step. */
    indexOf: (id: number): number | null =>
      dense ? (id >= first_step && id <= last_step ? id - first_step : null) : (places.get(id) ?? null),
    loaded: () => done,
    /** Loads the steps on the screen first. */
    want(first: number, last: number) {
      wanted = [Math.floor(first / PAGE), Math.floor(last / PAGE)]
      pump()
    },
    /** The message of the page that failed; null: no page failed. */
    trouble: () => trouble,
    retry() {
      trouble = null
      pump()
    },
    close: () => stop.abort(),
  }
}
