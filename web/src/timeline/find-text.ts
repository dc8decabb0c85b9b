import type { Step } from '../api-types.ts'
import type { Span } from './cut-text.ts'

/** Where something that was searched for stands. */
export interface Hit extends Span {
  readonly index: number
  readonly part: number
}

export const MOST_HITS = 2000

/** All places of a text in the loaded steps, whatever its case, in order; at most `MOST_HITS`. */
export function findText(at: (index: number) => Step | undefined, count: number, wanted: string): Hit[] {
  if (wanted === '') return []
  // A literal: every character that means something to a pattern is escaped, so that nothing can backtrack.
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi')
  const hits: Hit[] = []
  for (let index = 0; index < count; index++) {
    for (const [part, { text }] of (at(index)?.parts ?? []).entries()) {
      for (const match of text.matchAll(pattern)) {
        hits.push({ index, part, start: match.index, end: match.index + match[0].length })
        if (hits.length === MOST_HITS) return hits
      }
    }
  }
  return hits
}
