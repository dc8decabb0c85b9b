import { useShortcuts } from '../ui/keyboard.ts'
import { labelWords } from '../words.ts'
import { COMMENT_ID } from './review-form.tsx'
import type { Reviewing } from './use-reviewing.ts'

/** The keys of a review. Stands after the timeline in the page, so that `n` is the next question and not the next find. */
export function ReviewKeys(props: {
  readonly reviewing: Reviewing
  readonly labels: readonly string[]
  readonly onNext: () => void
  readonly onBefore: () => void
}): null {
  const { reviewing, labels, onNext, onBefore } = props
  useShortcuts([
    ...labels.slice(0, 9).map((label, index) => ({
      key: String(index + 1),
      what: labelWords(label),
      run: () => reviewing.change({ label }),
    })),
    { key: '0', what: 'cannot be told', run: () => reviewing.change({ label: null }) },
    { key: 'c', what: 'write a comment (Escape leaves it)', run: () => document.getElementById(COMMENT_ID)?.focus() },
    { key: 's', what: 'submit the review', run: () => void reviewing.submit() },
    { key: 'u', what: 'unblind: show the labels', run: () => reviewing.unblind() },
    { key: 'n', what: 'next question', run: onNext },
    { key: 'p', what: 'previous question', run: onBefore },
  ])
  return null
}
