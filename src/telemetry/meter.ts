import type { GradingService } from '../grading/service.ts'
import type { Grade } from '../schemas/grade.ts'

/** Hears what is to be counted. Nothing of it may throw. */
export interface MeterListener {
  /** A new grade of a batch’s item, good or failed. */
  graded(grade: Grade): void
  /** An item that a stored grade answered. */
  hit(): void
  /** A unit of work of a store: which, how long, and the code of what it rejected with. */
  unit(operation: string, seconds: number, error: string | null): void
}

/** Watches the parts that a process is made of, for its metrics. Single grades are counted where they are answered. */
export interface Meter {
  listen(listener: MeterListener): void
  service(service: GradingService): GradingService
  stores<S extends object>(stores: S): S
}

/** Stores that requests and grades wait for; `cluster` and the beats of processes are housekeeping. */
const MEASURED: ReadonlySet<PropertyKey> = new Set([
  'aliases',
  'attempts',
  'batches',
  'comments',
  'grades',
  'overview',
  'provider',
  'trajectories',
])

type Method = (...args: unknown[]) => unknown

export function createMeter(): Meter {
  const listeners = new Set<MeterListener>()

  function measured(method: Method, operation: string): Method {
    return (...args) => {
      const started = performance.now()
      const result = method(...args)
      if (!(result instanceof Promise)) return result
      const tell = (error: string | null) => {
        for (const listener of listeners) listener.unit(operation, (performance.now() - started) / 1000, error)
      }
      result.then(
        () => tell(null),
        (error: unknown) => tell(codeOf(error)),
      )
      return result
    }
  }

  return {
    listen: (listener) => void listeners.add(listener),
    service: (service) => ({
      ...service,
      async gradeItem(request, errand) {
        const outcome = await service.gradeItem(request, errand)
        if (outcome.kind === 'graded' && errand.way !== 'stored')
          for (const listener of listeners) outcome.cached ? listener.hit() : listener.graded(outcome.grade)
        return outcome
      },
    }),
    stores: (stores) =>
      eachMember(stores, (value, name) =>
        MEASURED.has(name) && typeof value === 'object' && value !== null
          ? eachMember(value, (own, method) =>
              typeof own === 'function'
                ? measured(own.bind(value) as Method, `${String(name)}.${String(method)}`)
                : own,
            )
          : typeof value === 'function'
            ? (value.bind(stores) as unknown)
            : value,
      ),
  }
}

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

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : 'unknown'
}
