import type { Clock } from '../../ports/ports.ts'
import type { SharedLimits, View } from '../shared/shared-limits.ts'
import { createAlarm } from './alarm.ts'
import type { Allowance, Work } from './allowance.ts'

/** A judge whose limits are shared by all processes of a database. */
export interface SharedLane {
  readonly judge: string
  readonly limits: SharedLimits
  /** How long a call can take. */
  readonly call_ms: number
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number
}

/**
 * Makes sure that a lane looks often enough at what it shares, and no more often than that: not at all while nothing is going on, unless the
 * judge is out.
 */
export interface Looker {
  /** Something has changed: perhaps it is time to look. */
  touch(): void
  /** No more looks. */
  close(): void
}

/** Milliseconds between two looks: while it is busy, has nothing to go on with, has something to give back, or news. */
const GAPS = { busy: 1_000, starving: 250, surplus: 200, urgent: 50, failed: 500 } as const

export function createLooker(
  { judge, limits, call_ms, elapsed }: SharedLane,
  allowance: Allowance,
  clock: Clock,
  work: () => Work,
  hear: (view: View) => void,
): Looker {
  let looked = Number.NEGATIVE_INFINITY
  let isLooking = false
  let hasFailed = false
  let isClosed = false
  const alarm = createAlarm({ now: () => new Date(elapsed()), sleep: clock.sleep }, () => {
    if (isDue()) void look()
    else plan()
  })

  function gap({ in_flight, waiting, probe, out = false }: Work): number | null {
    if (in_flight + waiting === 0 && allowance.isEmpty() && !allowance.hasNews()) return out ? GAPS.busy : null
    if (hasFailed) return GAPS.failed
    const isShort = waiting > 0 && in_flight >= allowance.value()
    // A process that has asked for more than it can get need not say that it wants even more.
    const isModest = allowance.told() < Math.min(in_flight + waiting, allowance.reach())
    if (allowance.hasNews() || (isShort && isModest)) return GAPS.urgent
    if (allowance.surplus(in_flight)) return GAPS.surplus
    if (waiting > 0 && in_flight === 0 && (isShort || (probe === 'due' && !allowance.mayProbe()))) return GAPS.starving
    return GAPS.busy
  }
  function next(): number | null {
    if (isClosed || isLooking) return null
    const after = gap(work())
    // As soon as everybody who comes in this turn is there.
    return after === null ? null : Math.max(elapsed(), looked + after)
  }
  function isDue(): boolean {
    const at = next()
    return at !== null && at <= elapsed()
  }
  const plan = () => alarm.set(next())

  async function look(): Promise<void> {
    isLooking = true
    const asked = elapsed()
    const ask = allowance.ask(work(), call_ms, clock.now().getTime())
    const view = await limits.look(judge, ask).catch(() => null)
    isLooking = false
    hasFailed = view === null
    looked = elapsed()
    // Unanswered, what was given last holds until it runs out; then calls wait.
    if (view === null) allowance.unheard()
    else if (!isClosed) hear(allowance.hear(view, work(), asked))
    plan()
  }
  return {
    touch() {
      allowance.saw(work())
      plan()
    },
    close() {
      isClosed = true
      alarm.set(null)
    },
  }
}
