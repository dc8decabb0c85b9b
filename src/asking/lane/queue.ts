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
