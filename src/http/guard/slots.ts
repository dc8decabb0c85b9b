import { HttpProblem } from '../problem.ts'

/** A number of things that may be held at once. */
export interface Slots {
  readonly name: string
  readonly used: number
  /** Takes `size` of them, and answers how to give them back (again and again does nothing). Throws 503 `overloaded` where they are not there. */
  take(size: number, most?: number): () => void
  /** The same; null where they are not there. */
  tryTake(size: number, most?: number): (() => void) | null
  /** The refusal that `take` throws, for callers that find another reason. */
  refusal(why: string): HttpProblem
}

const RATE_SECONDS = 10
const LONGEST_WAIT_S = 60

/** `refused` hears of every refusal. `now` in milliseconds. */
export function createSlots(
  name: string,
  limit: number,
  refused: (name: string) => void,
  now: () => number = () => performance.now(),
): Slots {
  let used = 0
  const ended = createRate(now)

  const refusal = (why: string) => {
    refused(name)
    const headers = { 'retry-after': `${secondsToWait(used, ended.perSecond())}` }
    return new HttpProblem(503, 'overloaded', why, { headers, members: { retryable: true } })
  }

  const tryTake = (size: number, most = limit): (() => void) | null => {
    if (used + size > most) return null
    used += size
    let held = true
    return () => {
      if (!held) return
      held = false
      used -= size
      ended.add(size)
    }
  }

  return {
    name,
    get used() {
      return used
    },
    take(size, most = limit) {
      const release = tryTake(size, most)
      if (release === null) throw refusal(`the service has as much to do as it takes on (${name}); try again later`)
      return release
    },
    tryTake,
    refusal,
  }
}

/** Until what is held now is done at the rate of the last seconds; spread, so that those who were refused together do not come back together. */
function secondsToWait(used: number, perSecond: number): number {
  const expected = perSecond === 0 ? 2 : used / perSecond
  return Math.min(LONGEST_WAIT_S, Math.max(1, Math.ceil(expected * (1 + Math.random() / 2))))
}

function createRate(now: () => number) {
  const sums = new Array<number>(RATE_SECONDS).fill(0)
  let second = Math.floor(now() / 1000)
  const advance = () => {
    const current = Math.floor(now() / 1000)
    for (let steps = Math.min(RATE_SECONDS, current - second); steps > 0; steps--)
      sums[(current - steps + 1) % RATE_SECONDS] = 0
    second = current
  }
  return {
    add(size: number) {
      advance()
      sums[second % RATE_SECONDS] = (sums[second % RATE_SECONDS] ?? 0) + size
    },
    perSecond() {
      advance()
      return sums.reduce((sum, one) => sum + one, 0) / RATE_SECONDS
    },
  }
}
