import { endOfAnsi } from '../text/fold.ts'

/** A text without its terminal control sequences, and the way back. */
export interface BareText {
  readonly text: string
  /** The source offset of a unit. */
  toSource(at: number): number
}

const ESCAPE = '\u001b'

/** Linear; what has no control sequence is not copied. */
export function withoutAnsi(source: string): BareText {
  /** Where in the text each cut stands, and how many units were cut up to and with it. */
  const places: number[] = []
  const removed: number[] = []
  const pieces: string[] = []
  let from = 0
  let gone = 0
  for (let at = source.indexOf(ESCAPE); at !== -1; ) {
    const end = endOfAnsi(source, at, source.length)
    if (end > at) {
      pieces.push(source.slice(from, at))
      places.push(at - gone)
      gone += end - at
      removed.push(gone)
      from = end
    }
    at = source.indexOf(ESCAPE, Math.max(end, at + 1))
  }
  if (places.length === 0) return { text: source, toSource: (at) => at }
  pieces.push(source.slice(from))
  const cutsUpTo = (at: number) => {
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle] ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low
  }
  const toSource = (at: number) => at + (removed[cutsUpTo(at) - 1] ?? 0)
  return { text: pieces.join(''), toSource }
}
