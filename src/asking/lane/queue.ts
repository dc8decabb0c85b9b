import { createLinkedList, type LinkedList, type Place } from './list.ts'

/**
 * Who waits for a judge. `take` gives single requests (party null) every second turn while both kinds wait, and the whole of
 * the turns otherwise; the batches take their turns round robin, so that with n batches waiting each has one of any n turns
 * of batches. First in, first out within a party. Every operation is O(1), `drain` O(1) for each that it answers.
 */
interface LaneQueue<T> {
  size(): number
  /** Answers what takes the item out again; that answers false where it has left already. */
  add(party: string | null, item: T): () => boolean
  take(): T | null
  /** Empties the lines: those of the batches, or all of them. */
  drain(which: 'batches' | 'all'): readonly T[]
}

interface Line<T> {
  readonly party: string
  readonly items: LinkedList<T>
  turn: Place<Line<T>>
}

export function createLaneQueue<T>(): LaneQueue<T> {
  const singles = createLinkedList<T>()
  const batches = createBatchLines<T>()
  let singleWasLast = false
  function take(): T | null {
    const single = singles.size() > 0 && (batches.size() === 0 || !singleWasLast)
    const item = single ? singles.shift() : batches.take()
    if (item !== null) singleWasLast = single
    return item
  }
  return {
    size: () => singles.size() + batches.size(),
    add(party, item) {
      if (party !== null) return batches.add(party, item)
      const place = singles.push(item)
      return () => singles.remove(place)
    },
    take,
    drain(which) {
      const drained: T[] = []
      for (let item = batches.take(); item !== null; item = batches.take()) drained.push(item)
      if (which === 'batches') return drained
      for (let item = singles.shift(); item !== null; item = singles.shift()) drained.push(item)
      return drained
    },
  }
}

/** One line per batch that has anybody waiting, and the lines in the order of their turns. */
function createBatchLines<T>() {
  const lines = new Map<string, Line<T>>()
  const turns = createLinkedList<Line<T>>()
  let size = 0
  function close(line: Line<T>): void {
    turns.remove(line.turn)
    lines.delete(line.party)
  }
  function lineOf(party: string): Line<T> {
    const known = lines.get(party)
    if (known !== undefined) return known
    const opened = { party, items: createLinkedList<T>() } as Line<T>
    opened.turn = turns.push(opened)
    lines.set(party, opened)
    return opened
  }
  return {
    size: () => size,
    add(party: string, item: T): () => boolean {
      const line = lineOf(party)
      const place = line.items.push(item)
      size += 1
      return () => {
        if (!line.items.remove(place)) return false
        size -= 1
        if (line.items.size() === 0) close(line)
        return true
      }
    },
    take(): T | null {
      const line = turns.shift()
      if (line === null) return null
      const item = line.items.shift()
      size -= 1
      if (line.items.size() === 0) close(line)
      else line.turn = turns.push(line)
      return item
    },
  }
}
