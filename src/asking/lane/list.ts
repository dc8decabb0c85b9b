/** Where a value stands in a list; what `remove` takes. */
export interface Place<T> {
  readonly value: T
  before: Place<T> | null
  after: Place<T> | null
  listed: boolean
}

/**
 * First in, first out, with removal from the middle, all in constant time: an array shifts 10,000 waiters for each that leaves,
 * and the head of a JavaScript `Map` is found by walking over what was deleted before it.
 */
export interface LinkedList<T> {
  size(): number
  push(value: T): Place<T>
  shift(): T | null
  /** False where it was not in the list any more. */
  remove(place: Place<T>): boolean
}

export function createLinkedList<T>(): LinkedList<T> {
  let head: Place<T> | null = null
  let tail: Place<T> | null = null
  let size = 0
  function remove(place: Place<T>): boolean {
    if (!place.listed) return false
    if (place.before === null) head = place.after
    else place.before.after = place.after
    if (place.after === null) tail = place.before
    else place.after.before = place.before
    place.listed = false
    place.before = null
    place.after = null
    size -= 1
    return true
  }
  return {
    size: () => size,
    push(value) {
      const place: Place<T> = { value, before: tail, after: null, listed: true }
      if (tail === null) head = place
      else tail.after = place
      tail = place
      size += 1
      return place
    },
    shift() {
      const first = head
      if (first === null) return null
      remove(first)
      return first.value
    },
    remove,
  }
}
