/** Work that goes on when its client has gone: a judge call is paid for, so a stop waits until its result is stored. */
export interface InFlight {
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves once nothing is in flight. */
  settled(): Promise<void>
}

export function createInFlight(): InFlight {
  const running = new Set<Promise<unknown>>()
  return {
    track(work) {
      running.add(work)
      work.catch(() => undefined).then(() => running.delete(work))
      return work
    },
    async settled() {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
