/** What a neighbour did, one time or more, as it is printed: a count before a batch, `×` before an answer that came so often. */
export interface Beside {
  readonly kind: 'batch' | 'answer'
  readonly text: string
}

export const answered = (status: number): Beside => ({ kind: 'answer', text: `HTTP ${status}` })

/** `500, 480 graded`, or shorter where all of them were. */
export const batchOf = (total: number, graded: number): Beside => ({
  kind: 'batch',
  text: graded === total ? `${total} graded` : `${total}, ${graded} graded`,
})

export const besideText = ({ kind, text }: Beside, count: number): string =>
  kind === 'batch' ? `${count} ${count === 1 ? 'batch' : 'batches'} of ${text}` : `${count} × ${text}`
