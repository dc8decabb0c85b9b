/** Five colours, with patterns in the colour of the paper over them: 25 labels have a look of their own, and neighbours differ without colour, too. */
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

/** The look of the label that is the `index`th of a report. */
export function labelLook(index: number): LabelLook {
  const colour = index % COLOURS.length
  const round = Math.floor(index / COLOURS.length)
  return {
    colour: COLOURS[colour] ?? 'aligned',
    pattern: PATTERNS[(colour + round) % PATTERNS.length] ?? [],
  }
}
