import { at } from '../load.ts'

/** What became of one request: an HTTP status with the code of its problem, or `left`, `broken`. */
export interface Outcome {
  readonly kind: string
  /** When it was sent. */
  readonly phase: string
  /** When it was answered. */
  readonly ended: string
  readonly outcome: string
  readonly ms: number
  /** Seconds since the beginning, when it was answered. */
  readonly at: number
}

export interface Figures {
  readonly count: number
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface Recorder {
  readonly outcomes: readonly Outcome[]
  seconds(): number
  /** Waits for the work, and keeps how long it took and what it answered. */
  time(kind: string, work: () => Promise<string>): Promise<void>
  enter(phase: string): void
}

export function createRecorder(): Recorder {
  const outcomes: Outcome[] = []
  const begun = performance.now()
  let phase = 'start'
  const seconds = () => (performance.now() - begun) / 1000
  return {
    outcomes,
    seconds,
    enter(name) {
      phase = name
    },
    async time(kind, work) {
      const started = performance.now()
      const during = phase
      const outcome = await work().catch((error: unknown) => `broken ${(error as { code?: string }).code ?? 'error'}`)
      outcomes.push({ kind, phase: during, ended: phase, outcome, ms: performance.now() - started, at: seconds() })
    },
  }
}

export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  return { count: times.length, p50_ms: at(times, 0.5), p99_ms: at(times, 0.99) }
}

export const isGood = ({ outcome }: Outcome): boolean => outcome.startsWith('2')
