import { fold } from './fold.ts'
import type { Part, Position, Step, Trajectory } from './trajectory.ts'

/** Where a needle stands; offsets are those of the part's source text. */
export interface Hit {
  readonly needle: string
  readonly position: Position
  readonly step_id: number
  readonly path: string
  readonly start: number
  readonly end: number
}

/** White space and typographic quotes folded, ANSI sequences dropped: the form in which needles with spaces are compared. */
export const foldForSearch = (text: string): string => fold(text, { ansi: true }).text.trim()

/**
 * The earliest part, in the order of events, that holds any of the needles, and the earliest place in it. Exact first; where a
 * part holds escape sequences or a needle holds white space, also after folding. A needle that begins or ends with a word
 * character only matches whole words there, so that `42` is not found in `1423`.
 */
export function findFirst(
  trajectory: Trajectory,
  needles: readonly string[],
  accept: (part: Part, step: Step) => boolean,
): Hit | null {
  const wanted = needles.filter((needle) => needle.trim() !== '')
  for (const [stepIndex, step] of trajectory.steps.entries()) {
    for (const [partIndex, part] of step.parts.entries()) {
      if (part.media || !accept(part, step)) continue
      const found = findInText(part.text, wanted)
      if (found === null) continue
      return { ...found, position: { step: stepIndex, part: partIndex }, step_id: step.id, path: part.path }
    }
  }
  return null
}

/** The earliest of the needles in one text. */
export function findInText(text: string, needles: readonly string[]): Pick<Hit, 'needle' | 'start' | 'end'> | null {
  let best: Pick<Hit, 'needle' | 'start' | 'end'> | null = null
  for (const needle of needles) {
    const at = indexOfWord(text, needle, 0)
    if (at !== -1 && (best === null || at < best.start)) best = { needle, start: at, end: at + needle.length }
  }
  return best ?? findFolded(text, needles)
}

function findFolded(text: string, needles: readonly string[]): Pick<Hit, 'needle' | 'start' | 'end'> | null {
  const escapes = text.includes('\u001b')
  const foldable = needles.filter((needle) => escapes || (isFoldable(needle) && couldHold(text, needle)))
  if (foldable.length === 0) return null
  const hay = fold(text, { ansi: true })
  for (const needle of foldable) {
    const folded = foldForSearch(needle)
    const at = folded === '' ? -1 : indexOfWord(hay.text, folded, 0)
    if (at === -1) continue
    return { needle, start: hay.from[at] ?? 0, end: (hay.from[at + folded.length - 1] ?? 0) + 1 }
  }
  return null
}

/**
 * Whether folding can make a difference: without escape sequences it only joins white space and straightens quotes, so the longest word
 * of the needle that has no quote must stand in the text as it is. Spares the fold of almost every part.
 */
function couldHold(text: string, needle: string): boolean {
  let longest = ''
  for (const word of foldForSearch(needle).split(' ')) {
    if (word.length > longest.length && !word.includes("'") && !word.includes('"')) longest = word
  }
  return longest === '' || text.includes(longest)
}

/** `indexOf` that respects word boundaries on the sides where the needle has a word character. */
export function indexOfWord(text: string, needle: string, from: number): number {
  const left = isWord(needle.charCodeAt(0))
  const right = isWord(needle.charCodeAt(needle.length - 1))
  for (let at = text.indexOf(needle, from); at !== -1; at = text.indexOf(needle, at + 1)) {
    const before = left && at > 0 && isWord(text.charCodeAt(at - 1))
    const after = right && isWord(text.charCodeAt(at + needle.length))
    if (!before && !after) return at
  }
  return -1
}

const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)

/** Whether folding can change the needle, or the text where it stands. */
function isFoldable(needle: string): boolean {
  const folded = foldForSearch(needle)
  return folded !== needle || folded.includes(' ') || folded.includes("'") || folded.includes('"')
}
