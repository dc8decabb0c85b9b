import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import { LRUCache } from 'lru-cache'

interface Window {
  count: number
  readonly since: number
}

/** `ttl`: milliseconds until it begins anew. */
type Done = (error: Error | null, count?: { readonly current: number; readonly ttl: number }) => void

/** Keys and addresses that are remembered; a caller with so many is not held back by forgetting one. */
const MOST_REMEMBERED = 20_000

/**
 * How often each key was counted in its window of time, in this process. The plugin’s own store hands out the very object that the
 * next request counts on: of a burst, every request would see the sum of all, and a burst of one too many be refused whole.
 */
export class WindowCounts implements FastifyRateLimitStore {
  private readonly windows = new LRUCache<string, Window>({ max: MOST_REMEMBERED })

  incr(key: string, done: Done, length: number): void {
    const now = Date.now()
    const window = this.find(key, now, length) ?? { count: 0, since: now }
    window.count++
    this.windows.set(key, window)
    done(null, { current: window.count, ttl: window.since + length - now })
  }

  /** Without counting. */
  read(key: string, done: Done, length: number): void {
    const now = Date.now()
    const window = this.find(key, now, length)
    done(null, window === null ? { current: 0, ttl: 0 } : { current: window.count, ttl: window.since + length - now })
  }

  child(): WindowCounts {
    return new WindowCounts()
  }

  private find(key: string, now: number, length: number): Window | null {
    const window = this.windows.get(key)
    return window === undefined || window.since + length <= now ? null : window
  }
}
