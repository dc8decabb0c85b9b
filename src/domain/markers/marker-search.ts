import { stringNeedles, surePlaces } from '../sights/needle-search.ts'
import { readLetters } from '../text/letters.ts'
import data from '../words.json' with { type: 'json' }
import { baseName, wordSet } from '../words.ts'

/**
 * Makes the search for strings of markers: as the evidence gate finds a certain sight of what the harness gave, through white space, line marks, control
 * sequences, escapes and disguises, whole words only; a short string only as it is written. The search lists each string with its places. Linear in the text.
 */
export function createMarkerSearch(strings: readonly string[]) {
  const needles = stringNeedles(strings)
  return (text: string) => (needles.all.length === 0 ? [] : surePlaces(needles, text, readLetters(text)))
}

/** Endings of files whose content shows, sounds or is packed: a search of their bytes says nothing of what they hold. SVG is text. */
const ENDINGS = wordSet(data.media_endings)

export function isMediaName(path: string): boolean {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot >= 0 && ENDINGS.has(name.slice(dot + 1).toLowerCase())
}
