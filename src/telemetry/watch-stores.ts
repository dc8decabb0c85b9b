/** Hears of a unit of work that a store has begun; `started` is of performance.now(). May not throw. */
export type UnitWatcher = (operation: string, result: Promise<unknown>, started: number) => void

/** Stores whose units of work a request or a grade waits for. The others beat, poll and keep the house. */
const WATCHED: ReadonlySet<PropertyKey> = new Set([
  'access',
  'attempts',
  'batches',
  'grades',
  'idempotency',
  'overview',
  'provider',
  'reviews',
  'rubrics',
  'secrets',
  'trajectories',
])

/**
 * The same stores, every unit of work of which the watchers hear of, by the names of store and method. What answers at once, such as a
 * list that is read by and by, is no unit of work.
 */
export function watchStores<S extends object>(stores: S, given: readonly (UnitWatcher | null)[]): S {
  const watchers = given.filter((watcher) => watcher !== null)
  if (watchers.length === 0) return stores
  const watched = (method: Method, operation: string): Method => {
    return (...args) => {
      const started = performance.now()
      const result = method(...args)
      if (result instanceof Promise) for (const watcher of watchers) watcher(operation, result, started)
      return result
    }
  }
  return eachMember(stores, (value, name) => {
    if (typeof value === 'function') return value.bind(stores) as unknown
    if (!WATCHED.has(name) || typeof value !== 'object' || value === null) return value
    return eachMember(value, (own, method) =>
      typeof own === 'function' ? watched(own.bind(value) as Method, `${String(name)}.${String(method)}`) : own,
    )
  })
}

type Method = (...args: unknown[]) => unknown

/** The same object, with each member as `change` makes it when it is first asked for. */
function eachMember<T extends object>(target: T, change: (value: unknown, name: PropertyKey) => unknown): T {
  const made = new Map<PropertyKey, unknown>()
  return new Proxy(target, {
    get(_target, name) {
      if (!made.has(name)) made.set(name, change(Reflect.get(target, name, target), name))
      return made.get(name)
    },
  })
}
