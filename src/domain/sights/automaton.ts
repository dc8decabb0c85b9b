import type { Skeleton } from './skeleton.ts'

/**
 * Many patterns in one pass, after Aho and Corasick: one table look-up a unit, whatever the patterns and the text are. Units share 127 classes, so a
 * find must still be compared where patterns have more different units than that.
 */
export interface Automaton {
  readonly classes: Uint8Array
  /** The next state by state and class; its complement where a pattern ends there. States are multiples of `width`. */
  readonly next: Int32Array
  readonly width: number
  /** By state number: the pattern that ends there, and the next shorter state at which one ends; -1: none. */
  readonly pattern: Int32Array
  readonly shorter: Int32Array
  readonly depth: Int32Array
  /** Whether two units share a class. */
  readonly isCoarse: boolean
}

const MOST_CLASSES = 127

/** Patterns are not empty and differ from each other. */
export function buildAutomaton(patterns: readonly Uint16Array[]): Automaton {
  const { classes, width, isCoarse } = classify(patterns)
  const most = patterns.reduce((sum, one) => sum + one.length, 1)
  const next = new Int32Array(most * width).fill(-1)
  const pattern = new Int32Array(most).fill(-1)
  const depth = new Int32Array(most)
  let states = 1
  const child = (state: number, unit: number): number => {
    const edge = state * width + (classes[unit] ?? 0)
    if (next[edge] === -1) {
      depth[states] = (depth[state] ?? 0) + 1
      next[edge] = states++
    }
    return next[edge] ?? 0
  }
  for (const [index, units] of patterns.entries()) {
    let state = 0
    for (const unit of units) state = child(state, unit)
    if (pattern[state] === -1) pattern[state] = index
  }
  const shorter = complete(next, pattern, states, width)
  return { classes, next, width, pattern, shorter, depth, isCoarse }
}

function classify(patterns: readonly Uint16Array[]): Pick<Automaton, 'classes' | 'width' | 'isCoarse'> {
  const classes = new Uint8Array(0x10000)
  let count = 0
  for (const units of patterns)
    for (const unit of units) if (classes[unit] === 0) classes[unit] = 1 + (count++ % MOST_CLASSES)
  return { classes, width: Math.min(count, MOST_CLASSES) + 1, isCoarse: count > MOST_CLASSES }
}

/** Fills in where a state goes on that no pattern goes on from; breadth first, so that shorter states are complete before. */
function complete(next: Int32Array, pattern: Int32Array, states: number, width: number): Int32Array {
  const shorter = new Int32Array(states).fill(-1)
  const fall = new Int32Array(states)
  const queue = new Int32Array(states)
  let queued = 1
  for (let head = 0; head < queued; head++) {
    const state = queue[head] ?? 0
    const back = fall[state] ?? 0
    for (let unit = 0; unit < width; unit++) {
      const edge = state * width + unit
      const child = next[edge] ?? -1
      const other = state === 0 ? 0 : (next[back * width + unit] ?? 0)
      if (child === -1) {
        next[edge] = other
        continue
      }
      fall[child] = other
      shorter[child] = (pattern[other] ?? -1) !== -1 ? other : (shorter[other] ?? -1)
      queue[queued++] = child
    }
  }
  const scaled = (state: number): number =>
    pattern[state] !== -1 || shorter[state] !== -1 ? ~(state * width) : state * width
  for (let edge = 0; edge < states * width; edge++) next[edge] = scaled(next[edge] ?? 0)
  return shorter
}

/** A block that a match read otherwise than as it stands; the ones before it behind it. */
export interface Reading {
  readonly start: number
  readonly end: number
  readonly unit: number
  readonly before: Reading | null
  readonly count: number
}

/** Ways of reading that are followed at once: more only live on text that was made for it. */
const MOST_THREADS = 4
/** Readings that a match is traced back through. */
const MOST_READINGS = 4096

/** Told of every place where patterns end: the state (by number), the last unit and how it was read. False ends the scan. */
type OnFind = (state: number, last: number, readings: Reading | null) => boolean

/** Linear: each unit costs one look-up a thread, and threads in the same state are one. */
export function scan(skeleton: Skeleton, automaton: Automaton, onFind: OnFind): void {
  const threads = new Threads(skeleton, automaton, onFind)
  const { blocks } = skeleton
  let unit = 0
  for (let block = 0; block < skeleton.blockCount * 3; block += 3) {
    const start = blocks[block] ?? 0
    const end = blocks[block + 1] ?? 0
    if (!threads.run(unit, start) || !threads.readBlock(start, end, blocks[block + 2] ?? 0)) return
    unit = end
  }
  threads.run(unit, skeleton.length)
}

/** The ways of reading the text so far, each in a state of the automaton. Behind `count` there is room for those that read the next block otherwise. */
class Threads {
  private readonly states = new Int32Array(2 * MOST_THREADS)
  private readonly readings: (Reading | null)[] = Array(2 * MOST_THREADS).fill(null)
  private count = 1
  private readonly codes: Uint16Array
  private readonly automaton: Automaton
  private readonly onFind: OnFind

  constructor(skeleton: Skeleton, automaton: Automaton, onFind: OnFind) {
    this.codes = skeleton.codes
    this.automaton = automaton
    this.onFind = onFind
  }

  /** All threads over units as they stand; false: the scan is over. */
  run(from: number, to: number): boolean {
    let unit = from
    while (unit < to && this.count > 1) if (!this.stepAll(unit++)) return false
    const { next, classes, width } = this.automaton
    const { codes } = this
    let state = this.states[0] ?? 0
    for (; unit < to; unit++) {
      state = next[state + (classes[codes[unit] ?? 0] ?? 0)] ?? 0
      if (state >= 0) continue
      state = ~state
      if (!this.onFind(state / width, unit, this.readings[0] ?? null)) return false
    }
    this.states[0] = state
    if (state === 0) this.readings[0] = null
    return true
  }

  private stepAll(unit: number): boolean {
    const edge = this.automaton.classes[this.codes[unit] ?? 0] ?? 0
    for (let one = 0; one < this.count; one++) if (!this.step(one, edge, unit)) return false
    this.unify(this.count)
    return true
  }

  private step(one: number, edge: number, unit: number): boolean {
    const { next, width } = this.automaton
    const state = next[(this.states[one] ?? 0) + edge] ?? 0
    this.states[one] = state < 0 ? ~state : state
    return state >= 0 || this.onFind(~state / width, unit, this.readings[one] ?? null)
  }

  /** Threads in one state go on alike; the first is the one that reads more as it stands. */
  private unify(all: number): void {
    let kept = 1
    for (let one = 1; one < all; one++) {
      const state = this.states[one] ?? 0
      if (this.states.lastIndexOf(state, kept - 1) !== -1) continue
      this.states[kept] = state
      this.readings[kept++] = this.readings[one] ?? null
    }
    this.count = kept
  }

  /** Both ways over a block: as it stands, and as what it stands for. */
  readBlock(start: number, end: number, unit: number): boolean {
    const { states, readings } = this
    if (this.count === 1 && states[0] === 0 && unit === 0) {
      if (!this.run(start, end)) return false
      if (states[0] !== 0) {
        states[1] = 0
        readings[1] = null
        this.count = 2
      }
      return true
    }
    const other = this.readOtherwise(start, end, unit)
    if (other === null) return false
    const otherReadings = readings.slice(MOST_THREADS, MOST_THREADS + other)
    const otherStates = states.slice(MOST_THREADS, MOST_THREADS + other)
    if (!this.run(start, end)) return false
    for (let one = 0; one < other; one++) {
      states[this.count + one] = otherStates[one] ?? 0
      readings[this.count + one] = otherReadings[one] ?? null
    }
    this.unify(this.count + other)
    if (this.count > MOST_THREADS) this.keepDeepest()
    return true
  }

  /** Fills the second half of the room; how many there are, null: the scan is over. */
  private readOtherwise(start: number, end: number, unit: number): number | null {
    const { states, readings, count } = this
    const edge = this.automaton.classes[unit] ?? 0
    for (let one = 0; one < count; one++) {
      const known = readings[one] ?? null
      const isLong = known !== null && known.count >= MOST_READINGS
      const before = isLong ? null : known
      const target = MOST_THREADS + one
      states[target] = states[one] ?? 0
      const opens = states[target] !== 0 || edge !== 0
      readings[target] = opens ? { start, end, unit, before, count: (before?.count ?? 0) + 1 } : null
      if (unit !== 0 && !this.step(target, edge, end - 1)) return null
      if (states[target] === 0) readings[target] = null
    }
    return count
  }

  /** The longest matches go on; the first thread may be any. */
  private keepDeepest(): void {
    const { depth, width } = this.automaton
    const { states, readings } = this
    const all = Array.from({ length: this.count }, (_, one) => ({ state: states[one] ?? 0, reading: readings[one] }))
    all.sort((a, b) => (depth[b.state / width] ?? 0) - (depth[a.state / width] ?? 0))
    for (const [one, { state, reading }] of all.slice(0, MOST_THREADS).entries()) {
      states[one] = state
      readings[one] = reading ?? null
    }
    this.count = MOST_THREADS
  }
}

/** Where a match of `length` units that ends with `last` began: its first unit in the skeleton; negative: lost. */
export function firstUnit(length: number, last: number, readings: Reading | null): number {
  let left = length
  let at = last
  for (let reading = readings; reading !== null; reading = reading.before) {
    if (reading.start > at) continue
    const own = Math.max(0, at - reading.end + 1)
    if (left <= own) return at - left + 1
    left -= own
    if (reading.unit !== 0 && --left === 0) return reading.start
    at = reading.start - 1
  }
  return at - left + 1
}
