export type InFlight = ReturnType<typeof createInFlight>

/** Tracks work that goes on without its client: a call of a judge is paid for, so a stop waits until its result is stored. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>()
  return {
    track<T>(work: Promise<T>): Promise<T> {
      running.add(work)
      void work.catch(() => undefined).then(() => running.delete(work))
      return work
    },
    /** Resolves once no work is in flight. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
