import type { Failure } from '../../schemas/grade.ts'
import { restUntil } from '../lane/breaker.ts'

/**
 * What the processes of one database tell each other of a judge: who calls it, among whom the limit is divided; the pauses that its
 * provider asked for; and whether it is out. A process tells about once a second while it has calls.
 */
export interface SharedLimits {
  /** Rejects with a StorageError where the database is away. */
  tell(judge: string, told: Told): Promise<Heard>
  close(): Promise<void>
}

/** What a process found out about whether the judge answers; `mended`: an operator says so. */
export type Change =
  | { readonly kind: 'resting' | 'broken'; readonly failure: Failure }
  | { readonly kind: 'opened' | 'mended' }

/** What a process has learned since it was last heard. */
export interface Told {
  /** It has calls, waiting or in flight. */
  readonly calls: boolean
  readonly pause: { readonly failure: Failure; readonly for_ms: number } | null
  /** As last heard; −1 before the first time. */
  readonly epoch: number
  readonly change: Change | null
}

/** The part of the limit that is this process's: one of `of` parts. */
export interface Part {
  readonly of: number
  readonly place: number
}

/** What it hears. Durations, because clocks differ. */
export interface Heard {
  readonly part: Part
  /** `until`: by the server's clock; tells one pause from another. */
  readonly pause: { readonly failure: Failure; readonly for_ms: number; readonly until: number } | null
  /** Counts what happened to the judge: going out, failing a probe, coming back. */
  readonly epoch: number
  /** `for_ms` null: until an operator mends it; 0: it is time to try it. */
  readonly outage: { readonly failure: Failure; readonly for_ms: number | null } | null
  /** How often in a row it was sent to rest. */
  readonly rests: number
  /** The change that was told counted. */
  readonly counted: boolean
}

/** One judge, as it is stored: nothing but JSON. Times are milliseconds of the server's clock. */
export interface SharedJudge {
  readonly pause: { readonly failure: Failure; readonly until: number } | null
  readonly epoch: number
  readonly outage: { readonly failure: Failure; readonly until: number | null } | null
  readonly rests: number
  /** The processes that have calls, and when each was last heard. */
  readonly callers: Readonly<Record<string, number>>
}

/** Callers tell once a second; one that was not heard for so long has no calls any more, or is dead. */
const SILENCE_MS = 5_000

const FRESH: SharedJudge = { pause: null, epoch: 0, outage: null, rests: 0, callers: {} }

/** What a process tells is counted, then it hears how things are. Pure: the caller keeps two from happening at once. */
export function tellAt(
  known: SharedJudge | null,
  process: string,
  told: Told,
  now: number,
): { state: SharedJudge; heard: Heard } {
  const was = known ?? FRESH
  const { state: changed, counted } = withChange(was, told, now)
  const pause = longerPause(was, told, now)
  const heardLately = Object.entries(was.callers).filter(([name, seen]) => name !== process && now - seen < SILENCE_MS)
  const callers = Object.fromEntries(told.calls ? [...heardLately, [process, now]] : heardLately)
  const { epoch, outage, rests } = changed
  const heard: Heard = {
    part: partOf(Object.keys(callers), process),
    pause: pause && { ...pause, for_ms: pause.until - now },
    epoch,
    outage: outage && {
      failure: outage.failure,
      for_ms: outage.until === null ? null : Math.max(0, outage.until - now),
    },
    rests,
    counted,
  }
  return { state: { epoch, outage, rests, pause, callers }, heard }
}

function partOf(callers: readonly string[], process: string): Part {
  return { of: Math.max(1, callers.length), place: callers.filter((name) => name < process).length }
}

function longerPause({ pause }: SharedJudge, told: Told, now: number): SharedJudge['pause'] {
  const current = pause !== null && now < pause.until ? pause : null
  if (told.pause === null || !(told.pause.for_ms > 0)) return current
  const until = now + told.pause.for_ms
  return current === null || until > current.until ? { failure: told.pause.failure, until } : current
}

/** What was found out before the last change is no news, except that the judge is broken, or was mended. */
function withChange(was: SharedJudge, { change, epoch }: Told, now: number): { state: SharedJudge; counted: boolean } {
  // A process that begins anew may have been given another key: it is time for a try.
  const state =
    epoch < 0 && was.outage?.until === null
      ? { ...was, outage: { ...was.outage, until: now }, epoch: was.epoch + 1 }
      : was
  const { outage, rests } = state
  const isNews = epoch === state.epoch
  const isResting = outage !== null && outage.until !== null
  const counts = (next: Pick<SharedJudge, 'outage' | 'rests'>) => ({
    state: { ...state, ...next, epoch: state.epoch + 1 },
    counted: true,
  })
  switch (change?.kind) {
    case 'mended':
      if (outage !== null) return counts({ outage: null, rests: 0 })
      break
    case 'opened':
      if (outage !== null && isNews) return counts({ outage: null, rests: 0 })
      break
    case 'broken':
      if (isNews || isResting) return counts({ outage: { failure: change.failure, until: null }, rests })
      break
    case 'resting':
      if (isNews && (outage === null || isResting))
        return counts({ outage: { failure: change.failure, until: restUntil(rests, now) }, rests: rests + 1 })
  }
  return { state, counted: false }
}
