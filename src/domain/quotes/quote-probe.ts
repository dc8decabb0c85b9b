/** Shorter runs are in every text. */
const SHORTEST_RUN = 3
const LONGEST_RUN = 64
const MOST_RUNS = 12
const LONGEST_GAP = 64

/** A run of letters and digits of a quote, and the run that follows it. */
export interface Landmark {
  readonly run: string
  /** Null: what follows it in the quote is not known to be in the text as it is. */
  readonly next: string | null
}

/**
 * Runs of letters and digits, which no normalization of a quote touches, the most telling first: emphasis and escapes can stand beside all
 * other characters.
 */
export function readLandmarks(text: string): Landmark[] {
  const runs: string[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isWord(text.charCodeAt(at)) && at - start < LONGEST_RUN) continue
    if (at > start) runs.push(text.slice(start, at))
    start = isWord(text.charCodeAt(at)) ? at : at + 1
  }
  return runs
    .map((run, index) => ({ run, next: run.length < LONGEST_RUN ? (runs[index + 1] ?? null) : null }))
    .filter(({ run }) => run.length >= SHORTEST_RUN)
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, MOST_RUNS)
}

const weightOf = ({ run, next }: Landmark): number => run.length + Math.min(4, next?.length ?? 0)

/** Whether the quote can stand around a place of its landmark; only what is cheap to see is looked at. */
export function canStandAt(text: string, at: number, { run, next }: Landmark): boolean {
  if (next === null) return true
  const end = at + run.length
  const most = Math.min(text.length, end + LONGEST_GAP)
  for (let after = end; after < most; after++) {
    const code = text.charCodeAt(after)
    if (isWord(code)) return after > end && text.startsWith(next, after)
    if (code === 0x5c || code === 0x0a || code >= 0x80) return true
  }
  return true
}

const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
