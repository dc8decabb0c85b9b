import { AsyncLocalStorage } from 'node:async_hooks'
import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Clock } from '../../ports/ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import { createGate, type Dismissal, type Gate, type LaneSettings, type Outage, type StartedCall } from './gate.ts'
import { type AbortGroups, createAbortGroups, createLaneQueue, createParties } from './queue.ts'
import { type Alarm, createAlarm, createNotice, type Notice } from './wake.ts'

export type { LaneSettings } from './gate.ts'

export type LaneCall =
  | { readonly kind: 'called'; readonly reply: JudgeReply; readonly waited_ms: number }
  /** No call was made: the judge is out, or (`failure.code` `cancelled`) the signal came first. */
  | { readonly kind: 'turned_away'; readonly failure: Failure; readonly waited_ms: number }

/** A quarter more than its share: what a batch stores, reads or repairs meanwhile must not leave a place empty. */
const RESERVE = 0.25

/** null: a single request; else the batch it is for. */
export type Party = string | null

/** `failure` and `until`: why and how long it is paused or out; `until` null while it is out: until an operator mends it. */
interface LaneState {
  readonly kind: 'open' | 'paused' | 'out'
  readonly limit: number
  readonly in_flight: number
  readonly waiting: number
  readonly failure: Failure | null
  readonly until: Date | null
}

/**
 * All calls of one judge in this process: how many at once, whose turn it is, and whether there is any sense in calling.
 */
export interface Lane {
  /**
   * Waits for its turn, then calls. While the judge is out, a call is turned away or (the first after a rest; a single request at
   * any time where only a person can mend it) made as a probe; those that wait behind a probe share its fate. `signal` ends the
   * waiting only. Rejects with what `make` throws.
   */
  call(party: Party, make: () => Promise<JudgeReply>, signal?: AbortSignal): Promise<LaneCall>
  /**
   * How many items a batch should keep in flight now: its fair share of the limit plus a small reserve; 0 while the judge is
   * out, 1 when it is time for a probe. Asking makes it one of those that share, for a minute.
   */
  wanted(party: string): number
  /** The batch has ended: it no longer takes a share. */
  forget(party: string): void
  state(): LaneState
  /** Tells of a change of the state's kind, the limit or the shares. The listener must not throw. Answers what ends it. */
  onChange(listener: () => void): () => void
  /** An operator mended the judge: it may be called again. A pause that the provider asked for goes on. */
  resume(): void
}

interface Waiter {
  readonly party: Party
  readonly make: () => Promise<JudgeReply>
  readonly signal: AbortSignal | undefined
  readonly since: number
  readonly resolve: (call: LaneCall) => void
  readonly reject: (error: unknown) => void
  /** Out of the queue, where it waits in it. */
  leave: () => boolean
}

/** Opens the lane of a judge. `mostForBatches` bounds the calls for batches, in flight or waiting, that this process wants at once. */
export function createLane(settings: LaneSettings, clock: Clock, mostForBatches = Number.POSITIVE_INFINITY): Lane {
  return new JudgeLane(settings, clock, mostForBatches)
}

class JudgeLane implements Lane {
  readonly #clock: Clock
  readonly #gate: Gate
  readonly #alarm: Alarm
  readonly #queue = createLaneQueue<Waiter>()
  readonly #parties = createParties()
  readonly #aborts: AbortGroups<Waiter> = createAbortGroups((waiters) => this.#cancel(waiters))
  readonly #notice: Notice = createNotice(() => this.#seen())
  readonly #mostForBatches: number

  constructor(settings: LaneSettings, clock: Clock, mostForBatches: number) {
    this.#clock = clock
    this.#mostForBatches = mostForBatches
    this.#alarm = createAlarm(clock, () => this.#advance())
    this.#gate = createGate(settings)
  }

  call(party: Party, make: () => Promise<JudgeReply>, signal?: AbortSignal): Promise<LaneCall> {
    const since = this.#now()
    if (signal?.aborted) return Promise.resolve(turnedAway(CANCELLED, since, since))
    const refusal = this.#gate.refusal(party === null, since)
    if (refusal !== null) return Promise.resolve(turnedAway(refusal, since, since))
    return new Promise((resolve, reject) => {
      // Another call’s end begins a waiting call, which keeps its own context.
      const waiter: Waiter = {
        party,
        make: AsyncLocalStorage.bind(make),
        signal,
        since,
        resolve,
        reject,
        leave: () => false,
      }
      waiter.leave = this.#queue.add(party, waiter)
      if (signal !== undefined) this.#aborts.add(signal, waiter)
      this.#parties.begin(party)
      this.#advance()
    })
  }

  wanted(party: string): number {
    const now = this.#now()
    this.#parties.ask(party, now)
    this.#notice.check()
    if (this.#gate.status(now).kind === 'out') return this.#gate.probeIsDue(now) ? 1 : 0
    const bound = Math.ceil(this.#mostForBatches / Math.max(1, this.#parties.count()))
    return Math.min(bound, Math.ceil(this.#share() * (1 + RESERVE)))
  }

  forget(party: string): void {
    this.#parties.forget(party)
    this.#notice.check()
  }

  state(): LaneState {
    const { kind, failure, until } = this.#gate.status(this.#now())
    return {
      kind,
      limit: this.#gate.limit(),
      in_flight: this.#gate.inFlight(),
      waiting: this.#queue.size(),
      failure,
      until: until === null ? null : new Date(until),
    }
  }

  onChange(listener: () => void): () => void {
    const end = this.#notice.listen(listener)
    this.#setAlarm()
    return () => {
      end()
      this.#setAlarm()
    }
  }

  resume(): void {
    this.#gate.mend()
    this.#advance()
  }

  #now(): number {
    return this.#clock.now().getTime()
  }

  /** Starts what may start, and sees to the next time when something may. */
  #advance(): void {
    while (this.#queue.size() > 0 && this.#gate.admits(this.#now())) {
      const waiter = this.#queue.take()
      if (waiter === null) break
      if (waiter.signal !== undefined) this.#aborts.remove(waiter.signal, waiter)
      // Whatever happens to it, the promise of the call tells: nothing is left to wait for here.
      void this.#run(waiter)
    }
    this.#changed()
  }

  #changed(): void {
    this.#setAlarm()
    this.#notice.check()
  }

  async #run(waiter: Waiter): Promise<void> {
    const waited = Math.max(0, this.#now() - waiter.since)
    const started = this.#gate.start()
    try {
      const reply = await waiter.make()
      this.#end(waiter.party, started, reply)
      waiter.resolve({ kind: 'called', reply, waited_ms: waited })
    } catch (error) {
      this.#end(waiter.party, started, null)
      waiter.reject(error)
    }
    this.#advance()
  }

  #end(party: Party, started: StartedCall, reply: JudgeReply | null): void {
    const now = this.#now()
    this.#parties.end(party, now)
    this.#dismiss(this.#gate.end(started, reply, now))
  }

  #dismiss(dismissal: Dismissal | null): void {
    if (dismissal === null) return
    const now = this.#now()
    for (const waiter of this.#queue.drain(dismissal.who)) this.#turnAway(waiter, dismissal.outage, now)
  }

  #cancel(waiters: Iterable<Waiter>): void {
    const now = this.#now()
    for (const waiter of waiters) if (waiter.leave()) this.#turnAway(waiter, CANCELLED, now)
    this.#changed()
  }

  /** For a waiter that is out of the queue already. */
  #turnAway(waiter: Waiter, reason: Outage, now: number): void {
    if (waiter.signal !== undefined) this.#aborts.remove(waiter.signal, waiter)
    this.#parties.end(waiter.party, now)
    waiter.resolve(turnedAway(reason, waiter.since, now))
  }

  #share(): number {
    return Math.ceil(this.#gate.limit() / Math.max(1, this.#parties.count()))
  }

  #setAlarm(): void {
    const needed = this.#queue.size() > 0 || this.#notice.listening()
    this.#alarm.set(needed ? this.#gate.nextChange(this.#now()) : null)
  }

  /** What a listener is told about, as one string to compare. */
  #seen(): string {
    const now = this.#now()
    const { kind, until } = this.#gate.status(now)
    const end = kind === 'out' ? until : ''
    return `${kind} ${end} ${this.#gate.limit()} ${this.#share()} ${this.#gate.probeIsDue(now)}`
  }
}

function turnedAway({ failure }: Outage, since: number, now: number): LaneCall {
  return { kind: 'turned_away', failure, waited_ms: Math.max(0, now - since) }
}

const CANCELLED: Outage = {
  failure: {
    code: 'cancelled',
    message: 'the call was cancelled before it was made',
    retryable: true,
    retry_after_s: null,
  },
  until: null,
}
