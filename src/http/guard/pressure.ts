import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../../config/config.ts'

const LOOK_MS = 1000
const RESOLUTION_MS = 20
/** So many looks in a row must find the loop late: one large body that held it up is over when the next request comes. */
const LATE_LOOKS = 3

const BUSY = 'the service is too busy to begin anything new; try again later'
const FULL = 'the service has too little memory left to begin anything new; try again later'

/** Looks at the process once a second: how late the event loop is at its turns, and how full the heap. */
export function watchPressure({ event_loop_delay_ms, heap_share }: Config['limits']) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let late = 0
  let full = false
  const look = () => {
    late = delay.mean / 1e6 - RESOLUTION_MS > event_loop_delay_ms ? late + 1 : 0
    delay.reset()
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    full = used_heap_size > heap_size_limit * heap_share
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return {
    /** Why nothing new should be begun now; null: it may. */
    reason: () => (full ? FULL : late >= LATE_LOOKS ? BUSY : null),
    close() {
      clearInterval(timer)
      delay.disable()
    },
  }
}
