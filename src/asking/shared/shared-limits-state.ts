import type { Failure } from '../../schemas/grade.ts'
import { restUntil } from '../lane/breaker.ts'
import { type LaneSettings, ordered } from '../lane/limit.ts'
import type { Look, View } from './shared-limits.ts'
import { fairShare } from './shared-limits-share.ts'

/** What a process was given. */
interface Share {
  readonly held: number
  readonly wants: number
  /** When it was last heard. */
  readonly seen: number
  /** When it comes back by itself. */
  readonly until: number
}

/** One judge, as all processes share it. Times are milliseconds of the server’s clock. Nothing but JSON. */
export interface SharedState {
  readonly limit: number
  readonly generation: number
  readonly successes: number
  readonly pause: { readonly failure: Failure; readonly until: number } | null
  readonly epoch: number
  readonly outage: { readonly failure: Failure; readonly until: number | null } | null
  readonly rests: number
  /** Who may try it while it is out. */
  readonly probe: string | null
  readonly looked: number
  readonly shares: Readonly<Record<string, Share>>
}

/** What was found out so long ago about how many calls it takes says nothing any more. */
const FORGOTTEN_MS = 600_000

/** Whoever waits looks at least once a second; who has not for so long wants no more than it holds. */
const LATELY_MS = 5_000

/**
 * A look of one process at the judge: what it says is counted, then it is given its fair share of what nobody else holds. No look
 * lets the shares of all go over the limit. Pure: the caller keeps two looks from happening at once.
 */
export function lookAt(
  known: SharedState | null,
  process: string,
  look: Look,
  now: number,
): { state: SharedState; view: View } {
  const alive = expire(known ?? fresh(look.settings, now), look, now)
  const paced = pace(alive, process, look, now)
  const { state: judged, counted } = judge(paced, process, look, now)
  return give(judged, counted, process, look, now)
}

/** Gives back all that a process holds. */
export function withoutProcess(state: SharedState, process: string): SharedState {
  const { [process]: _gone, ...shares } = state.shares
  return { ...state, shares, probe: state.probe === process ? null : state.probe }
}

function fresh(settings: LaneSettings, now: number): SharedState {
  const limit = ordered(settings).initial
  const open = { pause: null, outage: null, rests: 0, probe: null }
  return { limit, generation: 0, successes: 0, epoch: 0, ...open, looked: now, shares: {} }
}

function expire(state: SharedState, { settings }: Look, now: number): SharedState {
  const shares = Object.fromEntries(Object.entries(state.shares).filter(([, { until }]) => now < until))
  const probe = state.probe !== null && shares[state.probe] !== undefined ? state.probe : null
  const forgotten = now - state.looked >= FORGOTTEN_MS && Object.keys(shares).length === 0
  const { initial, min, max } = ordered(settings)
  const limit = forgotten ? initial : Math.min(max, Math.max(min, state.limit))
  return { ...state, limit, shares, probe, looked: now }
}

/** How many at once, and when: successes, cuts and pauses. */
function pace(state: SharedState, process: string, look: Look, now: number): SharedState {
  const { min, max } = ordered(look.settings)
  let { limit, generation, successes, pause } = state
  // Where somebody else still has room, its being full says nothing about the judge.
  if (look.successes > 0 && look.generation === generation && isFull(state, process, look)) {
    successes += look.successes
    for (; limit < max && successes >= limit; limit++) successes -= limit
    if (limit >= max) successes = 0
  }
  if (look.cut !== null && look.cut === generation) {
    limit = Math.max(min, Math.floor(limit / 2))
    generation += 1
    successes = 0
  }
  if (pause !== null && now >= pause.until) pause = null
  if (look.pause !== null && look.pause.for_ms > 0) {
    const until = now + look.pause.for_ms
    if (pause === null || until > pause.until) pause = { failure: look.pause.failure, until }
  }
  return { ...state, limit, generation, successes, pause }
}

function isFull(state: SharedState, process: string, look: Look): boolean {
  return heldByOthers(state, process) + Math.max(look.keeps, state.shares[process]?.held ?? 0) >= state.limit
}

const wantOf = ({ held, wants, seen }: Share, now: number): number =>
  now - seen < LATELY_MS ? wants : Math.min(held, wants)

function heldByOthers({ shares }: SharedState, process: string): number {
  let sum = 0
  for (const [name, { held }] of Object.entries(shares)) if (name !== process) sum += held
  return sum
}

/** Whether it answers. A verdict on what was before the last change is no news, except that it is broken, or was mended. */
function judge(was: SharedState, process: string, look: Look, now: number): { state: SharedState; counted: boolean } {
  // Whoever begins anew may have been given another key: it is time for a try.
  const state =
    look.epoch < 0 && was.outage !== null && was.outage.until === null
      ? { ...was, outage: { ...was.outage, until: now }, epoch: was.epoch + 1 }
      : was
  const { outage, epoch, rests } = state
  const { verdict } = look
  const isNews = look.epoch === epoch
  // Another’s try may be under way, whatever else is found out meanwhile.
  const probe = state.probe === process && look.probe !== 'held' ? null : state.probe
  const next = { ...state, epoch: epoch + 1, probe }
  const open = { state: { ...next, outage: null, rests: 0, probe: null }, counted: true }
  if (verdict?.kind === 'mended' && outage !== null) return open
  if (verdict?.kind === 'opened' && outage !== null && isNews) return open
  if (verdict?.kind === 'broken' && (isNews || (outage !== null && outage.until !== null)))
    return { state: { ...next, outage: { failure: verdict.failure, until: null } }, counted: true }
  if (verdict?.kind === 'resting' && isNews && outage?.until !== null) {
    const rest = { failure: verdict.failure, until: restUntil(rests, now) }
    return { state: { ...next, outage: rest, rests: rests + 1 }, counted: true }
  }
  return { state: { ...state, probe }, counted: false }
}

function give(
  state: SharedState,
  counted: boolean,
  process: string,
  look: Look,
  now: number,
): { state: SharedState; view: View } {
  const { limit, pause, outage, generation, epoch, rests } = state
  const wants = Math.min(limit, Math.max(0, look.wants))
  const all = new Map(Object.entries(state.shares).map(([name, share]) => [name, Math.min(limit, wantOf(share, now))]))
  const free = Math.max(0, limit - heldByOthers(state, process))
  const may = Math.min(free, fairShare(limit, all.set(process, wants), process, now))
  const could = fairShare(limit, all.set(process, limit), process, now)
  const held = Math.max(0, look.keeps, may)
  const left = withoutProcess(state, process).shares
  const share = { held, wants, seen: now, until: now + look.books_ms }
  // Who waits is listed, although it has nothing yet: the others leave it its share.
  const shares = held > 0 || wants > 0 ? { ...left, [process]: share } : left
  const isDue = outage !== null && (outage.until === null || now >= outage.until)
  const takesProbe = outage !== null && (look.probe === 'held' || (look.probe === 'wanted' && isDue && may > 0))
  const probe = state.probe === null && takesProbe && held > 0 ? process : state.probe
  const view: View = {
    generation,
    may,
    could,
    pause: pause === null ? null : { ...pause, for_ms: pause.until - now },
    epoch,
    outage: outage && {
      failure: outage.failure,
      for_ms: outage.until === null ? null : Math.max(0, outage.until - now),
    },
    rests,
    counted,
    may_probe: outage !== null && probe === process,
  }
  return { state: { ...state, shares, probe }, view }
}
