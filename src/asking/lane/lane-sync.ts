import type { Clock } from '../../ports/ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { Change, Heard, Part, SharedLimits } from '../shared/shared-limits.ts'
import { createAlarm } from './alarm.ts'

/** A judge that other processes of the database call, too. */
export interface SharedLane {
  readonly judge: string
  readonly limits: SharedLimits
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
}

/** What the lane is doing now. */
interface Work {
  readonly calls: boolean
  readonly waiting: boolean
  /** The judge is out: another process may say that it is mended. */
  readonly out: boolean
}

/** What a gate tells those who share its judge. */
export interface GateNews {
  /** The provider asked for a pause until then, in milliseconds since the epoch. */
  paused(failure: Failure, until: number): void
  changed(change: Change): void
}

/** Where no other process shares it. */
export const NOBODY: GateNews = { paused: () => undefined, changed: () => undefined }

/** Tells the other processes what this one found out, and hears from them: once a second while the lane has calls or its judge is out. */
export interface LaneSync extends GateNews {
  /** null: not known, or not any more. */
  part(): Part | null
  /** Something has changed: perhaps it is time to tell. */
  touch(): void
  close(): void
}

/** Milliseconds between two times: as a rule, where nothing may begin, with news, and after a failure. */
const GAPS = { busy: 1_000, starving: 250, urgent: 50, failed: 500 } as const

/** How long a process that hears nothing more goes on with its part. */
const LASTS_MS = 10_000

interface News {
  readonly pause: { readonly failure: Failure; readonly until: number } | null
  readonly change: Change | null
}

const NOTHING: News = { pause: null, change: null }

export function createLaneSync(
  { judge, limits, elapsed }: SharedLane,
  clock: Clock,
  work: () => Work,
  hear: (heard: Heard) => void,
): LaneSync {
  let looked = Number.NEGATIVE_INFINITY
  let isLooking = false
  let hasFailed = false
  let isClosed = false
  let news = NOTHING
  let heardPart: Part | null = null
  let ends = Number.NEGATIVE_INFINITY
  let epoch = -1
  const part = () => (elapsed() < ends ? heardPart : null)
  const alarm = createAlarm({ now: () => new Date(elapsed()), sleep: clock.sleep }, () => {
    if (isDue()) void look()
    else plan()
  })

  function gap({ calls, waiting, out }: Work): number | null {
    const hasNews = news.pause !== null || news.change !== null
    if (!calls && !hasNews) return out ? GAPS.busy : null
    if (hasFailed) return GAPS.failed
    if (hasNews) return GAPS.urgent
    return waiting && part() === null ? GAPS.starving : GAPS.busy
  }
  function next(): number | null {
    if (isClosed || isLooking) return null
    const after = gap(work())
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
    const told = news
    news = NOTHING
    const for_ms = Math.max(0, (told.pause?.until ?? 0) - clock.now().getTime())
    const pause = told.pause && { failure: told.pause.failure, for_ms }
    const heard = await limits.tell(judge, { calls: work().calls, pause, epoch, change: told.change }).catch(() => null)
    isLooking = false
    hasFailed = heard === null
    looked = elapsed()
    // What was told and perhaps not heard is told again.
    if (heard === null) news = { pause: news.pause ?? told.pause, change: news.change ?? told.change }
    else if (!isClosed) adopt(heard, asked)
    plan()
  }
  function adopt(heard: Heard, asked: number): void {
    heardPart = heard.part
    ends = asked + LASTS_MS
    // What was found out here since then comes first: the others hear of it before they are believed.
    if (news.change === null) epoch = heard.epoch
    hear({ ...heard, epoch })
  }
  return {
    part,
    paused(failure, until) {
      news = { ...news, pause: { failure: short(failure), until } }
    },
    changed(change) {
      news = { ...news, change: 'failure' in change ? { ...change, failure: short(change.failure) } : change }
    },
    touch: plan,
    close() {
      isClosed = true
      alarm.set(null)
    },
  }
}

const MOST_CHARS = 500
const short = (failure: Failure): Failure => ({ ...failure, message: failure.message.slice(0, MOST_CHARS) })
