import { AsyncLocalStorage } from 'node:async_hooks'
import type { JudgeReply } from '../../ports/judge-ports.ts'
import type { Clock } from '../../ports/ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import { type AbortGroups, createAbortGroups } from './abort.ts'
import { type Alarm, createAlarm } from './alarm.ts'
import type { Outage } from './breaker.ts'
import { createGate, type Dismissal, type Gate, type StartedCall } from './gate.ts'
import { createLaneSync, type LaneSync, type SharedLane } from './lane-sync.ts'
import { createLimit, type LaneSettings, NO_BOUND } from './limit.ts'
import { createNotice, type Notice } from './notice.ts'
import { createParties } from './parties.ts'
import { createLaneQueue } from './queue.ts'
import { CANCELLED, type LaneCall, turnedAway } from './turned-away.ts'

export type { LaneSettings } from './limit.ts'
export type { LaneCall } from './turned-away.ts'

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
 * With other processes on the same database it divides the limit, and shares pauses and outages.
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
  /** The process ends: where it shares the judge, it asks for nothing more. What waits then does so for ever. */
  close(): void
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

/**
 * `shared` null: no other process calls this judge. `mostForBatches`: calls for batches, those that wait among them, that this process wants
 * at once at the most.
 */
export function createLane(
  settings: LaneSettings,
  clock: Clock,
  shared: SharedLane | null = null,
  mostForBatches = NO_BOUND,
): Lane {
  return new JudgeLane(settings, clock, shared, mostForBatches)
}

class JudgeLane implements Lane {
  readonly #clock: Clock
  readonly #gate: Gate
  readonly #alarm: Alarm
  readonly #queue = createLaneQueue<Waiter>()
  readonly #parties = createParties()
  readonly #aborts: AbortGroups<Waiter> = createAbortGroups((waiters) => this.#cancel(waiters))
  readonly #notice: Notice = createNotice(() => this.#seen())

  readonly #sync: LaneSync | null
  readonly #mostForBatches: number

  constructor(settings: LaneSettings, clock: Clock, shared: SharedLane | null, mostForBatches: number) {
    this.#clock = clock
    this.#mostForBatches = mostForBatches
    this.#alarm = createAlarm(clock, () => this.#advance())
    const sync = shared && this.#look(shared)
    this.#sync = sync
    this.#gate = sync === null ? createGate(createLimit(settings)) : createGate(createLimit(settings, sync.part), sync)
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

  close(): void {
    this.#sync?.close()
  }

  #look(shared: SharedLane): LaneSync {
    const work = () => ({
      calls: this.#gate.inFlight() + this.#queue.size() > 0,
      waiting: this.#queue.size() > 0,
      out: this.#gate.status(this.#now()).kind === 'out',
    })
    return createLaneSync(shared, this.#clock, work, (heard) => {
      this.#dismiss(this.#gate.adopt(heard, this.#now()))
      this.#advance()
    })
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
    this.#sync?.touch()
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
    return Math.ceil(this.#gate.reach() / Math.max(1, this.#parties.count()))
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
