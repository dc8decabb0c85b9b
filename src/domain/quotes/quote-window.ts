import { canStandAt, type Landmark } from './quote-probe.ts'

/** What searching may still cost, in units of text that are folded: an answer’s whole search stops where it is spent. */
export interface Budget {
  left: number
}

/** A piece of a text in which a quote may stand. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** Texts up to this length are one window. */
const SMALL = 16_384
const LARGEST = 1_000_000
/** White space is not counted, up to here: terminals pad with it. */
const LONGEST_GAP = 20_000
const LONGEST_LINE = 2000

/**
 * The pieces of a text around each place of a landmark in which a quote of `length` units may stand, joined where they overlap: all of them
 * together are not much longer than the text, however often the landmark stands in it. They end where the budget is spent.
 */
export function* windowsAround(
  text: string,
  landmark: Landmark | undefined,
  length: number,
  budget: Budget,
): Generator<Window> {
  if (landmark === undefined) {
    yield* pieces(text, length)
    return
  }
  for (let place = nextPlace(text, landmark, 0, budget); place !== -1; ) {
    const start = reachBack(text, place, length)
    let end = reachForward(text, place, length)
    place = nextPlace(text, landmark, place + 1, budget)
    while (place !== -1 && place < end && end - start < LARGEST) {
      let last = place
      for (; place !== -1 && place < end; place = nextPlace(text, landmark, place + 1, budget)) last = place
      end = Math.max(end, reachForward(text, last, length))
    }
    yield { start, end }
  }
}

/** Each place that is looked at costs a unit: a text can be full of a landmark. */
function nextPlace(text: string, landmark: Landmark, from: number, budget: Budget): number {
  for (let at = text.indexOf(landmark.run, from); at !== -1; at = text.indexOf(landmark.run, at + 1)) {
    if (--budget.left < 0) return -1
    if (canStandAt(text, at, landmark)) return at
  }
  return -1
}

/** A text without a landmark, in pieces that overlap by more than the quote. */
function* pieces(text: string, length: number): Generator<Window> {
  for (let start = 0; start < text.length; start += LARGEST) {
    const end = Math.min(text.length, start + LARGEST + margin(length))
    yield { start, end }
  }
}

/** A quote’s escapes can double it, and what stands around it may be needed to read it. */
const margin = (length: number): number => 6 * length + 256

function reachForward(text: string, from: number, length: number): number {
  if (text.length <= SMALL) return text.length
  let left = margin(length)
  const most = Math.min(text.length, from + left + LONGEST_GAP)
  let at = from
  for (; at < most && left > 0; at++) if (text.charCodeAt(at) > 0x20) left--
  const line = text.slice(at, at + LONGEST_LINE).indexOf('\n')
  return line === -1 ? at : at + line
}

function reachBack(text: string, from: number, length: number): number {
  if (text.length <= SMALL) return 0
  let left = margin(length)
  const least = Math.max(0, from - left - LONGEST_GAP)
  let at = from
  for (; at > least && left > 0; at--) if (text.charCodeAt(at - 1) > 0x20) left--
  const line = text.slice(Math.max(0, at - LONGEST_LINE), at).lastIndexOf('\n')
  return line === -1 ? at : Math.max(0, at - LONGEST_LINE) + line + 1
}
