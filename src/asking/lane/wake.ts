import type { Clock } from '../../ports/ports.ts'

/** Notifies once, at the set time or somewhat before it: the listener looks at the clock and sets it again. */
export interface Alarm {
  /** Milliseconds since the epoch; null: not at all. At most one sleep is pending. */
  set(at: number | null): void
}

export function createAlarm(clock: Clock, notify: () => void): Alarm {
  let pending: { readonly at: number; readonly stop: AbortController } | null = null
  return {
    set(at) {
      // An earlier one is left alone, or a pause that grows with each reply would start a timer with each.
      if (at !== null && pending !== null && pending.at <= at) return
      pending?.stop.abort()
      pending = null
      if (at === null) return
      const mine = { at, stop: new AbortController() }
      const end = (isDue: boolean) => {
        if (pending !== mine) return
        pending = null
        if (isDue) notify()
      }
      pending = mine
      clock.sleep(Math.max(1, at - clock.now().getTime()), mine.stop.signal).then(
        () => end(true),
        () => end(false),
      )
    },
  }
}

/** Tells listeners that something they can see has changed: once for all changes of one turn, and outside of the call that made them. */
export interface Notice {
  listening(): boolean
  listen(listener: () => void): () => void
  /** To be called whenever it may have changed. */
  check(): void
}

/** `see` renders what counts as a change. */
export function createNotice(see: () => string): Notice {
  const listeners = new Set<() => void>()
  let seen = ''
  let due = false
  function tell(): void {
    due = false
    const now = see()
    if (now === seen) return
    seen = now
    for (const listener of [...listeners]) listener()
  }
  return {
    listening: () => listeners.size > 0,
    listen(listener) {
      if (listeners.size === 0) seen = see()
      // Wrapped, so that one function can listen twice and each leave alone.
      const own = () => listener()
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    check() {
      if (due || listeners.size === 0 || see() === seen) return
      due = true
      queueMicrotask(tell)
    },
  }
}
