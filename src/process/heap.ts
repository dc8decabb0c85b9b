import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Has V8 collect garbage once the heap is this much larger than what was alive, in percent. By default it waits for up to four times as much,
 * which bodies of some megabytes fill with what is long dead. Measured with batches of 22 KB items: a quarter less memory, the same time.
 */
const GROWTH = 60

/** Both halves of the young generation. V8 lets them grow to 134 MB, which they keep; small requests are no faster by it. */
const MOST_YOUNG_BYTES = 16 * 1024 * 1024

/** To be called before the heap has grown. */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`)
  // Threads that are started later have a bound of their own and begin at it: how much the young generation grows is one setting for all.
  setFlagsFromString('--min-semi-space-size=8')
  let isFull = false
  // V8 takes a bound only before it runs, the factor by which this grows at any time. It also shrinks it while little is going on.
  const observer = new PerformanceObserver(() => {
    if (youngBytes() >= MOST_YOUNG_BYTES === isFull) return
    isFull = !isFull
    setFlagsFromString(`--semi-space-growth-factor=${isFull ? 1 : 2}`)
  })
  observer.observe({ entryTypes: ['gc'] })
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
