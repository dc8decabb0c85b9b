import { createContext } from 'preact'
import type { RubricView } from './types.ts'

/** The loaded rubrics, without their prompts; none until the service has said. */
export const Rubrics = createContext<readonly RubricView[]>([])

/** `id@version` → id: versions of one rubric are compared, different rubrics never. */
export const rubricId = (name: string): string => name.replace(/@\d+$/, '')

/** The rubric of that name; where its version is not loaded, its newest. */
export const findRubric = (rubrics: readonly RubricView[], name: string): RubricView | undefined =>
  rubrics.find((one) => one.name === name) ?? versionsOf(rubrics, rubricId(name))[0]

/** The labels of a rubric in their order, those of its newest version first; none of a sum. */
export const labelsOfRubric = (rubrics: readonly RubricView[], name: string): readonly string[] => [
  ...new Set(versionsOf(rubrics, rubricId(name)).flatMap(({ labels }) => labels.map(({ label }) => label))),
]

const versionsOf = (rubrics: readonly RubricView[], id: string): readonly RubricView[] =>
  rubrics.filter((one) => one.id === id).sort((a, b) => b.version - a.version)

/** The id that all the names have; null: there are several, or none. */
export function onlyRubric(names: readonly string[]): string | null {
  const [id, ...more] = new Set(names.map(rubricId))
  return id === undefined || more.length > 0 ? null : id
}

/** Five colours of `styles/base.css`, with patterns over them: 25 labels have a look of their own, and neighbours differ without colour, too. */
const COLOURS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed'] as const
/** As lines in the colour of the paper; `styles/parts.css` has the same by their names. */
const PATTERNS = [
  { name: 'plain', lines: [] },
  { name: 'rising', lines: ['M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4'] },
  { name: 'dots', lines: ['M2,2 h1.6 M6,6 h1.6'] },
  { name: 'crossed', lines: ['M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4', 'M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4'] },
  { name: 'level', lines: ['M0,2 h8 M0,6 h8'] },
] as const

export interface LabelLook {
  readonly colour: string
  readonly pattern: { readonly name: string; readonly lines: readonly string[] }
}

/** Of the `index`th label of a rubric. */
function lookAt(index: number): LabelLook {
  const colour = index % COLOURS.length
  const round = Math.floor(index / COLOURS.length)
  return {
    colour: COLOURS[colour] ?? COLOURS[0],
    pattern: PATTERNS[(colour + round) % PATTERNS.length] ?? PATTERNS[0],
  }
}

/**
 * The look of a label, the same in every picture and table; null: it has none, as of a sum, or where rubrics are mixed: labels of two would
 * share one.
 *
 * @param rubric its rubric, by name or id; null: of several that stand together.
 * @param given labels that grades have and the rubric has not, in an order of their own.
 */
export function lookOf(
  rubrics: readonly RubricView[],
  label: string,
  rubric: string | null,
  given: readonly string[] = [],
): LabelLook | null {
  if (rubric === null) return null
  const place = [...new Set([...labelsOfRubric(rubrics, rubric), ...given])].indexOf(label)
  return place === -1 ? null : lookAt(place)
}
