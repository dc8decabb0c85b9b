import type { GradingService } from '../grading/service.ts'
import type { Grade } from '../schemas/grade.ts'
import type { UnitWatcher } from './watch-stores.ts'

/** Hears what is to be counted. Nothing of it may throw. */
interface MeterListener {
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
  readonly unit: UnitWatcher
}

export function createMeter(): Meter {
  const listeners = new Set<MeterListener>()

  return {
    listen: (listener) => void listeners.add(listener),
    service: (service) => ({
      ...service,
      async gradeItem(request, job) {
        const outcome = await service.gradeItem(request, job)
        if (outcome.kind === 'graded' && job.way !== 'stored')
          for (const listener of listeners) outcome.cached ? listener.hit() : listener.graded(outcome.grade)
        return outcome
      },
    }),
    unit(operation, result, started) {
      const tell = (error: string | null) => {
        for (const listener of listeners) listener.unit(operation, (performance.now() - started) / 1000, error)
      }
      result.then(
        () => tell(null),
        (error: unknown) => tell(codeOf(error)),
      )
    },
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : 'unknown'
}
