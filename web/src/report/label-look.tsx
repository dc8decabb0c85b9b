import type { JSX } from 'preact'
import type { Label } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { LabelBadge } from '../ui/badges.tsx'
import { LABEL_WORDS } from '../words.ts'

/** Five colours, and patterns in the colour of the paper over them: a look is told by both, so that twenty labels differ, five of them by colour alone. */
const COLOURS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed'] as const
const PATTERNS: readonly (readonly string[])[] = [
  [],
  ['M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4'],
  ['M2,2 h1.6 M6,6 h1.6'],
  ['M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4', 'M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4'],
  ['M0,2 h8 M0,6 h8'],
]

interface LabelLook {
  /** A colour of `styles/base.css`. */
  readonly colour: string
  readonly pattern: readonly string[]
}

/** The look of the label that is the `index`th of a report: another colour than its neighbours, and no pattern twice with a colour up to 25 labels. */
export function labelLook(index: number): LabelLook {
  const colour = index % COLOURS.length
  const round = Math.floor(index / COLOURS.length)
  return {
    colour: COLOURS[colour] ?? 'aligned',
    pattern: PATTERNS[(colour + round) % PATTERNS.length] ?? [],
  }
}

/** Whether the pages have a badge for it. */
const hasBadge = (label: string): boolean => Object.hasOwn(LABEL_WORDS, label)

/** A label of any rubric. */
export const LabelName = ({ label }: { readonly label: Label }): JSX.Element =>
  hasBadge(label) ? <LabelBadge label={label} /> : <HostileText text={label} />
