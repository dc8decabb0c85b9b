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
