/**
 * Many waiters behind few signals: the items of a batch share one. A signal gets one listener for all of them, because adding and
 * removing a listener walks over those that it has.
 */
export interface AbortGroups<T> {
  add(signal: AbortSignal, waiter: T): void
  /** Once for each `add`, when the waiter leaves for another reason. */
  remove(signal: AbortSignal, waiter: T): void
}

export function createAbortGroups<T>(onAbort: (waiters: Iterable<T>) => void): AbortGroups<T> {
  const groups = new Map<AbortSignal, { readonly waiters: Set<T>; readonly listener: () => void }>()
  function open(signal: AbortSignal) {
    const waiters = new Set<T>()
    const listener = () => {
      groups.delete(signal)
      onAbort(waiters)
    }
    const group = { waiters, listener }
    groups.set(signal, group)
    signal.addEventListener('abort', listener, { once: true })
    return group
  }
  return {
    add(signal, waiter) {
      const group = groups.get(signal) ?? open(signal)
      group.waiters.add(waiter)
    },
    remove(signal, waiter) {
      const group = groups.get(signal)
      if (group === undefined || !group.waiters.delete(waiter) || group.waiters.size > 0) return
      groups.delete(signal)
      signal.removeEventListener('abort', group.listener)
    },
  }
}
