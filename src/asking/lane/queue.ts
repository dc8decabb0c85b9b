/**
 * Who waits for a judge. `take` gives single requests (party null) every second turn while both kinds wait, and the whole of
 * the turns otherwise; the batches take their turns round robin, so that with n batches waiting each has one of any n turns
 * of batches. First in, first out within a party. Every operation is O(1), `drain` O(1) for each that it answers.
 */
interface LaneQueue<T> {
  size(): number
  /** `item` waits once at the most. Answers what takes it out again; that answers false where it has left already. */
  add(party: string | null, item: T): () => boolean
  take(): T | null
  /** Empties the lines: those of the batches, or all of them. */
  drain(which: 'batches' | 'all'): readonly T[]
}

/**
 * First in, first out, with removal from the middle. An array shifts 10,000 waiters for each that leaves, and the head of a set is found by walking
 * over what was deleted before it; an iterator that goes on where it stood has walked over that once.
 */
class Line<T> {
  readonly items = new Set<T>()
  private head = this.items.values()

  shift(): T | null {
    let next = this.head.next()
    if (next.done) {
      this.head = this.items.values()
      next = this.head.next()
    }
    if (next.done) return null
    this.items.delete(next.value)
    return next.value
  }
}

export function createLaneQueue<T>(): LaneQueue<T> {
  const singles = new Line<T>()
  const lines = new Map<string, Line<T>>()
  /** The batches that have calls waiting, in the order of their turns. */
  const turns = new Line<string>()
  let inBatches = 0
  let singleWasLast = false
  function takeOfBatches(): T | null {
    const party = turns.shift()
    const line = party === null ? undefined : lines.get(party)
    if (party === null || line === undefined) return null
    const item = line.shift()
    inBatches -= 1
    if (line.items.size === 0) lines.delete(party)
    else turns.items.add(party)
    return item
  }
  return {
    size: () => singles.items.size + inBatches,
    add(party, item) {
      if (party === null) {
        singles.items.add(item)
        return () => singles.items.delete(item)
      }
      const line = lines.get(party) ?? new Line<T>()
      lines.set(party, line)
      turns.items.add(party)
      line.items.add(item)
      inBatches += 1
      return () => {
        if (!line.items.delete(item)) return false
        inBatches -= 1
        if (line.items.size > 0) return true
        lines.delete(party)
        turns.items.delete(party)
        return true
      }
    },
    take() {
      const isSingle = singles.items.size > 0 && (inBatches === 0 || !singleWasLast)
      const item = isSingle ? singles.shift() : takeOfBatches()
      if (item !== null) singleWasLast = isSingle
      return item
    },
    drain(which) {
      const drained: T[] = []
      for (let item = takeOfBatches(); item !== null; item = takeOfBatches()) drained.push(item)
      if (which === 'batches') return drained
      for (let item = singles.shift(); item !== null; item = singles.shift()) drained.push(item)
      return drained
    },
  }
}

/** A batch that has not asked for so long, and has no call, does not keep a share of the judge. */
const LATELY_MS = 60_000
const SWEEP_MS = 15_000

/** The batches that share a judge: those with calls, waiting or in flight, and those that asked for their share lately. */
interface Parties {
  count(): number
  /** It asked for its share. */
  ask(party: string, now: number): void
  begin(party: string | null): void
  end(party: string | null, now: number): void
  forget(party: string): void
}

interface Member {
  calls: number
  asked: number
}

export function createParties(): Parties {
  const members = new Map<string, Member>()
  let swept = Number.NEGATIVE_INFINITY
  const idle = (member: Member, now: number) => member.calls === 0 && now - member.asked >= LATELY_MS
  function sweep(now: number): void {
    if (now - swept < SWEEP_MS) return
    swept = now
    for (const [party, member] of members) if (idle(member, now)) members.delete(party)
  }
  function memberOf(party: string): Member {
    const known = members.get(party)
    if (known !== undefined) return known
    const member: Member = { calls: 0, asked: Number.NEGATIVE_INFINITY }
    members.set(party, member)
    return member
  }
  return {
    count: () => members.size,
    ask(party, now) {
      memberOf(party).asked = now
      sweep(now)
    },
    begin(party) {
      if (party !== null) memberOf(party).calls += 1
    },
    end(party, now) {
      const member = party === null ? undefined : members.get(party)
      if (party === null || member === undefined) return
      member.calls -= 1
      if (idle(member, now)) members.delete(party)
    },
    forget(party) {
      const member = members.get(party)
      if (member === undefined) return
      member.asked = Number.NEGATIVE_INFINITY
      if (member.calls === 0) members.delete(party)
    },
  }
}

/**
 * Many waiters behind few signals: the items of a batch share one. A signal gets one listener for all of them, because adding and
 * removing a listener walks over those that it has.
 */
export interface AbortGroups<T> {
  add(signal: AbortSignal, waiter: T): void
  /** Once for each `add`, when the waiter leaves for another reason. */
  remove(signal: AbortSignal, waiter: T): void
}

export function createAbortGroups<T>(onAbort: (waiters: Iterable<T>) => void): AbortGroups<T> {
  const groups = new Map<AbortSignal, { readonly waiters: Set<T>; readonly listener: () => void }>()
  function open(signal: AbortSignal) {
    const waiters = new Set<T>()
    const listener = () => {
      groups.delete(signal)
      onAbort(waiters)
    }
    const group = { waiters, listener }
    groups.set(signal, group)
    signal.addEventListener('abort', listener, { once: true })
    return group
  }
  return {
    add(signal, waiter) {
      const group = groups.get(signal) ?? open(signal)
      group.waiters.add(waiter)
    },
    remove(signal, waiter) {
      const group = groups.get(signal)
      if (group === undefined || !group.waiters.delete(waiter) || group.waiters.size > 0) return
      groups.delete(signal)
      signal.removeEventListener('abort', group.listener)
    },
  }
}
