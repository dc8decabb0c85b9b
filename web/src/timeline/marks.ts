import type { CheckedCitation, Part, Step } from '../types.ts'
import { holds } from '../words.ts'
import type { Span } from './cut-text.ts'

/** A citation at its place, or a place of the searched text. */
export type Mark = Span &
  (
    | { readonly kind: 'citation'; readonly number: number; readonly citation: CheckedCitation }
    | { readonly kind: 'found'; readonly current: boolean }
  )

/** Makes the id of the place of a citation; `number` counts the citations of a grade from 0. */
export const citationAnchor = (number: number): string => `citation-${number + 1}`

type Anchor = { readonly citation: number } | { readonly step: number }

/** Finds the earliest evidence that holds, else the earliest citation: at its place, or at its step without a place. */
export function firstEvidence(citations: readonly CheckedCitation[]): Anchor | null {
  const holding = citations.filter(({ status }) => holds(status))
  const [first] = (holding.length > 0 ? holding : citations).toSorted((a, b) => a.step_id - b.step_id)
  if (first === undefined) return null
  return first.path === null ? { step: first.step_id } : { citation: citations.indexOf(first) }
}

/** Reads a fragment: `#citation-3` → citation 2, `#step-12` → step 12. */
export function readAnchor(hash: string): Anchor | null {
  const [, kind, digits = ''] = /^#(citation|step)-(-?\d{1,9})$/.exec(hash) ?? []
  if (kind === 'citation') return { citation: Number(digits) - 1 }
  return kind === 'step' ? { step: Number(digits) } : null
}

/** Tells whether the address names a mark, or the search has come to it. */
export function isSought(marks: readonly Mark[], hash: string): boolean {
  const anchor = readAnchor(hash)
  return marks.some((mark) =>
    mark.kind === 'found' ? mark.current : anchor !== null && 'citation' in anchor && anchor.citation === mark.number,
  )
}

/** Makes the marks of the citations with a place in a part. */
export function citationMarks(step: Step, part: Part, citations: readonly CheckedCitation[]): Mark[] {
  return citations.flatMap((citation, number) => {
    const { step_id, path, start, end } = citation
    if (step_id !== step.id || path !== part.path || start === null || end === null) return []
    return [{ kind: 'citation' as const, number, citation, start, end: Math.min(end, part.text.length) }]
  })
}
