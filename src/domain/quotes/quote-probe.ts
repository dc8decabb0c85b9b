import { isMark } from './mapped-text.ts'

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

/** The runs of a quote in their order, from the first that every text which holds it has. */
export interface Chain {
  readonly runs: readonly string[]
  /** A symbol follows the last of them. */
  readonly isClosed: boolean
}

/**
 * Runs of letters and digits, which no normalization of a quote touches, the most telling first: emphasis and escapes can stand beside all
 * other characters.
 */
export function readLandmarks(text: string): Landmark[] {
  const runs = runsOf(text)
  return runs
    .map((run, index) => ({ run, next: run.length < LONGEST_RUN ? (runs[index + 1] ?? null) : null }))
    .filter(({ run }) => run.length >= SHORTEST_RUN)
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, MOST_RUNS)
}

function runsOf(text: string): string[] {
  const runs: string[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isWord(text.charCodeAt(at)) && at - start < LONGEST_RUN) continue
    if (at > start) runs.push(text.slice(start, at))
    start = isWord(text.charCodeAt(at)) ? at : at + 1
  }
  return runs
}

const weightOf = ({ run, next }: Landmark): number => run.length + Math.min(4, next?.length ?? 0)

/** `text`: the quote without any of its wrapping, of which `landmarks` are the runs that stand in all its readings. */
export function readChain(text: string, landmarks: readonly Landmark[]): Chain | null {
  const all = runsOf(text)
  const known = new Set(landmarks.map(({ run }) => run))
  const first = all.findIndex((run) => known.has(run))
  if (first === -1) return null
  const cut = all.findIndex((run, index) => index >= first && run.length === LONGEST_RUN)
  const runs = all.slice(first, cut === -1 ? undefined : cut + 1)
  return { runs, isClosed: cut === -1 && isSymbol(text.charCodeAt(text.length - 1)) }
}

/** Symbols that are in no wrapping and are no white space: nothing takes them off a quote. */
const isSymbol = (code: number): boolean => code >= 0x2600 && code < 0x2800

/** Whether the quote can stand around a place of its landmark; only what is cheap to see is looked at. */
export function canStandAt(text: string, at: number, { run, next }: Landmark): boolean {
  if (next === null) return true
  const end = at + run.length
  const after = nextRun(text, end)
  return after < 0 || (after > end && text.startsWith(next, after))
}

/** Whether the runs may stand one after the other somewhere in a text: without it, no form of the text holds the quote. */
export function holdsChain(text: string, chain: Chain | null): boolean {
  const first = chain?.runs[0]
  if (chain === null || first === undefined) return true
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1))
    if (follows(text, at, chain)) return true
  return false
}

function follows(text: string, at: number, { runs, isClosed }: Chain): boolean {
  let end = at
  for (const [index, run] of runs.entries()) {
    const start = index === 0 ? at : startOfNext(text, end, run)
    if (start === UNTOLD) return true
    if (start === NONE) return false
    if (!text.startsWith(run, start)) return goesOnBehindMark(text, start, run)
    end = start + run.length
  }
  return !isClosed || !isWord(text.charCodeAt(end))
}

/** Where the run must stand that follows another one: a line may have its number before it. */
function startOfNext(text: string, from: number, run: string): number {
  let end = from
  let start = nextRun(text, end)
  if (start === end) return NONE
  while (start === LINE_END) {
    end = text.indexOf('\n', end) + 1
    start = nextRun(text, end)
    if (start < 0 || !isDigit(text.charCodeAt(start))) continue
    if (isDigit(run.charCodeAt(0))) return UNTOLD
    end = start
    while (isDigit(text.charCodeAt(end))) end++
    start = nextRun(text, end)
    if (start === end) return NONE
  }
  return start
}

const UNTOLD = -1
const LINE_END = -2
const NONE = -3

/** Where the next run of a text begins; `UNTOLD`: what stands before it may be an escape or anything else that is read otherwise. */
function nextRun(text: string, end: number): number {
  const most = Math.min(text.length, end + LONGEST_GAP)
  for (let at = end; at < most; at++) {
    const code = text.charCodeAt(at)
    if (isWord(code)) return at
    if (code === 0x0a) return LINE_END
    if (code === 0x5c || code >= 0x80) return UNTOLD
  }
  return UNTOLD
}

/** Emphasis can cut a run: `**a**_b_` reads `ab`. */
function goesOnBehindMark(text: string, start: number, run: string): boolean {
  let end = start
  while (end - start < run.length && text[end] === run[end - start]) end++
  return isMark(text.charCodeAt(end))
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

const isWord = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
