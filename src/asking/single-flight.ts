/** Equal work in flight is done once; everybody gets the one result. */
interface SingleFlight<T> {
  /** `led`: this call did the work. */
  run(key: string, work: () => Promise<T>): Promise<{ readonly led: boolean; readonly value: T }>
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Promise<T>>()
  return {
    async run(key, work) {
      const flying = flights.get(key)
      if (flying !== undefined) return { led: false, value: await flying }
      const flight = work().finally(() => flights.delete(key))
      flights.set(key, flight)
      return { led: true, value: await flight }
    },
  }
}
