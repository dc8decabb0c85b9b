import type { CheckedCitation, Part, Step } from '../types.ts'
import type { Span } from './cut-text.ts'

/** A citation at its place, or something that was searched for. */
export type Mark = Span &
  (
    | { readonly kind: 'citation'; readonly number: number; readonly citation: CheckedCitation }
    | { readonly kind: 'found'; readonly current: boolean }
  )

/** The id of a citation’s place in the page; `number` counts the grade’s citations from 0. */
export const citationAnchor = (number: number): string => `citation-${number + 1}`

/** `#citation-3` → 2, `#step-12` → step 12. */
export function readAnchor(hash: string): { readonly citation: number } | { readonly step: number } | null {
  const [, kind, digits = ''] = /^#(citation|step)-(-?\d{1,9})$/.exec(hash) ?? []
  if (kind === 'citation') return { citation: Number(digits) - 1 }
  return kind === 'step' ? { step: Number(digits) } : null
}

/** Whether one of them is what the address names, or what the search has come to. */
export function isSought(marks: readonly Mark[], hash: string): boolean {
  const anchor = readAnchor(hash)
  return marks.some((mark) =>
    mark.kind === 'found' ? mark.current : anchor !== null && 'citation' in anchor && anchor.citation === mark.number,
  )
}

/** The citations that stand in this part: same step, same path, with a place. */
export function citationMarks(step: Step, part: Part, citations: readonly CheckedCitation[]): Mark[] {
  return citations.flatMap((citation, number) => {
    const { step_id, path, start, end } = citation
    if (step_id !== step.id || path !== part.path || start === null || end === null) return []
    return [{ kind: 'citation' as const, number, citation, start, end: Math.min(end, part.text.length) }]
  })
}
