export type InFlight = ReturnType<typeof createInFlight>

/** Work that goes on when its client has gone: a judge call is paid for, so a stop waits until its result is stored. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>()
  return {
    track<T>(work: Promise<T>): Promise<T> {
      running.add(work)
      void work.catch(() => undefined).then(() => running.delete(work))
      return work
    },
    /** Resolves once nothing is in flight. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
