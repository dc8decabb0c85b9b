import type { Failure } from '../../schemas/grade.ts'
import type { Look, Verdict, View } from '../shared/shared-limits.ts'
import { type LaneSettings, type Limit, ordered } from './limit.ts'
import type { GateNews } from './news.ts'

/** How long a process that hears nothing more goes on with what it was given. */
const LASTS_MS = 10_000

/** What the lane is doing now. */
export interface Work {
  readonly in_flight: number
  readonly waiting: number
  readonly probe: 'flying' | 'due' | 'none'
  /** The judge is out: somebody else may say that it is mended. */
  readonly out?: boolean
}

/**
 * The part of a judge’s limit that this process was given, and what it has to tell at its next look. What it may have in flight is
 * never more than what is booked for it: before it asks it says what it keeps, whatever the answer will be.
 */
export interface Allowance extends Limit, GateNews {
  /** Of what is going on; to be called with each change. */
  saw(work: Work): void
  /** What it wanted when it last asked. */
  told(): number
  hasNews(): boolean
  /** It has something that it could give back: more than it uses and may use. */
  surplus(inFlight: number): boolean
  /** Nothing is booked for it. */
  isEmpty(): boolean
  /** Milliseconds since the epoch are for pauses alone. */
  ask(work: Work, callMs: number, now: number): Look
  /** `askedAt`: by the clock of this process that nobody sets. Answers the view where it says more of the judge than is known here. */
  hear(view: View, work: Work, askedAt: number): View
  /** The look was not answered: what it told is told again. */
  unheard(): void
}

interface News {
  readonly successes: number
  readonly cut: number | null
  readonly pause: { readonly failure: Failure; readonly until: number } | null
  readonly verdict: Verdict | null
}

const NOTHING: News = { successes: 0, cut: null, pause: null, verdict: null }

/** `elapsed`: milliseconds of a clock that nobody sets. */
export function createAllowance(settings: LaneSettings, elapsed: () => number): Allowance {
  return new SharedAllowance(settings, elapsed)
}

class SharedAllowance implements Allowance {
  readonly #settings: LaneSettings
  readonly #elapsed: () => number
  #may = 0
  #ends = Number.NEGATIVE_INFINITY
  #booked = 0
  #kept = 0
  #could: number
  #generation = -1
  #epoch = -1
  #granted = false
  #peak = 0
  #told = 0
  #news = NOTHING
  #sent = NOTHING

  constructor(settings: LaneSettings, elapsed: () => number) {
    this.#settings = settings
    this.#elapsed = elapsed
    this.#could = ordered(settings).initial
  }

  value = (): number => (this.#elapsed() < this.#ends ? this.#may : 0)
  reach = (): number => Math.max(1, this.#could)
  mayProbe = (): boolean => this.#granted && this.#elapsed() < this.#ends
  generation = (): number => this.#generation
  told = (): number => this.#told
  isEmpty = (): boolean => this.#booked === 0

  succeeded(generation: number, full: boolean): void {
    if (full && generation === this.#generation) this.#tell({ successes: this.#news.successes + 1 })
  }

  rateLimited(generation: number): void {
    if (generation !== this.#generation || this.#news.cut === generation || this.#sent.cut === generation) return
    this.#tell({ cut: generation })
    // Until all of them know.
    this.#may = Math.min(this.#may, Math.max(1, Math.floor(this.#may / 2)))
  }

  paused(failure: Failure, until: number): void {
    this.#tell({ pause: { failure: short(failure), until } })
  }

  judged(verdict: Verdict): void {
    this.#granted = false
    this.#tell({ verdict: 'failure' in verdict ? { ...verdict, failure: short(verdict.failure) } : verdict })
  }

  probing(): void {
    this.#granted = false
  }

  saw({ in_flight, waiting }: Work): void {
    this.#peak = Math.max(this.#peak, in_flight + waiting)
  }

  hasNews(): boolean {
    return this.#news.cut !== null || this.#news.pause !== null || this.#news.verdict !== null
  }

  surplus(inFlight: number): boolean {
    return this.#booked > Math.max(this.#may, inFlight)
  }

  ask({ in_flight, waiting, probe }: Work, callMs: number, now: number): Look {
    const wants = Math.max(this.#peak, in_flight + waiting)
    this.#peak = in_flight + waiting
    this.#told = wants
    this.#may = Math.min(this.value(), wants)
    this.#kept = Math.max(in_flight, this.#may)
    this.#sent = this.#news
    this.#news = NOTHING
    const { successes, cut, pause, verdict } = this.#sent
    return {
      settings: this.#settings,
      books_ms: LASTS_MS + callMs,
      keeps: this.#kept,
      wants,
      generation: this.#generation,
      successes,
      cut,
      pause: pause && { failure: pause.failure, for_ms: Math.max(0, pause.until - now) },
      epoch: this.#epoch,
      verdict,
      probe: probe === 'flying' || (probe === 'due' && waiting > 0 && this.mayProbe()) ? 'held' : wish(probe, waiting),
    }
  }

  hear(view: View, { probe }: Work, askedAt: number): View {
    this.#sent = NOTHING
    this.#may = view.may
    this.#ends = askedAt + LASTS_MS
    this.#booked = Math.max(this.#kept, view.may)
    this.#could = view.could
    if (view.generation !== this.#generation) this.#tell({ successes: 0 })
    this.#generation = view.generation
    // What was found out here since it was asked comes first: the others hear of it before they are believed.
    const isBehind = this.#news.verdict !== null
    this.#granted = view.may_probe && probe !== 'flying' && !isBehind
    if (!isBehind) this.#epoch = view.epoch
    return { ...view, epoch: this.#epoch }
  }

  unheard(): void {
    const [was, is] = [this.#sent, this.#news]
    this.#sent = NOTHING
    this.#news = {
      successes: was.successes + is.successes,
      cut: is.cut ?? was.cut,
      pause: is.pause ?? was.pause,
      verdict: is.verdict ?? was.verdict,
    }
  }

  #tell(news: Partial<News>): void {
    this.#news = { ...this.#news, ...news }
  }
}

const wish = (probe: Work['probe'], waiting: number): 'wanted' | 'none' =>
  probe === 'due' && waiting > 0 ? 'wanted' : 'none'

const MOST_CHARS = 500
const short = (failure: Failure): Failure => ({ ...failure, message: failure.message.slice(0, MOST_CHARS) })
