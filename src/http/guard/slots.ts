import { HttpProblem } from '../problem.ts'

export type Slots = ReturnType<typeof createSlots>

const RATE_MS = 10_000
const LONGEST_WAIT_S = 60

/** A number of things that may be held at once. `refused` hears of every refusal. */
export function createSlots(name: string, limit: number, refused: (name: string) => void) {
  let used = 0
  // Given back in the current stretch of time, since when that lasts, and in the stretch before.
  let ended = 0
  let since = performance.now()
  let before = 0
  const advance = (): number => {
    const now = performance.now()
    if (now - since >= RATE_MS) {
      before = now - since < 2 * RATE_MS ? ended : 0
      ended = 0
      since = now
    }
    return now
  }

  /** Until what is held now is done at the rate of the last seconds; spread, so that those who were refused together do not come back together. */
  const secondsToWait = (): number => {
    const seconds = (RATE_MS + advance() - since) / 1000
    const expected = ended + before === 0 ? 2 : (used * seconds) / (ended + before)
    return Math.min(LONGEST_WAIT_S, Math.max(1, Math.ceil(expected * (1 + Math.random() / 2))))
  }

  /** The refusal that `take` throws, for callers that find another reason. */
  const refusal = (why: string) => {
    refused(name)
    const headers = { 'retry-after': `${secondsToWait()}` }
    return new HttpProblem(503, 'overloaded', why, { headers, members: { retryable: true } })
  }

  /** Takes `size` of them, and answers how to give them back (again and again does nothing); null where they are not there. */
  const tryTake = (size: number, most = limit): (() => void) | null => {
    if (used + size > most) return null
    used += size
    let held = true
    return () => {
      if (!held) return
      held = false
      used -= size
      advance()
      ended += size
    }
  }

  return {
    name,
    get used() {
      return used
    },
    /** The same; throws 503 `overloaded` where they are not there. */
    take(size: number, most = limit): () => void {
      const release = tryTake(size, most)
      if (release === null) throw refusal(`the service has as much to do as it takes on (${name}); try again later`)
      return release
    },
    tryTake,
    refusal,
  }
}
