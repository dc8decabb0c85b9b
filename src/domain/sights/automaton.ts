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
