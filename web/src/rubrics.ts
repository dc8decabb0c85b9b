import { createContext } from 'preact'
import type { RubricView } from './types.ts'

/** The loaded rubrics, without their prompts; none until the service has answered. */
export const Rubrics = createContext<readonly RubricView[]>([])

/** Reads the id of a rubric: `id@version` → id. Versions of a rubric are compared, different rubrics never. */
export const rubricId = (name: string): string => name.replace(/@\d+$/, '')

/** Finds the rubric of a name, or the newest version of a missing version. */
export const findRubric = (rubrics: readonly RubricView[], name: string): RubricView | undefined =>
  rubrics.find((rubric) => rubric.name === name) ?? versionsOf(rubrics, rubricId(name))[0]

/** Lists the labels of a rubric in their order, labels of the newest version first; none of a sum. */
export const labelsOfRubric = (rubrics: readonly RubricView[], name: string): readonly string[] => [
  ...new Set(versionsOf(rubrics, rubricId(name)).flatMap(({ labels }) => labels.map(({ label }) => label))),
]

const versionsOf = (rubrics: readonly RubricView[], id: string): readonly RubricView[] =>
  rubrics.filter((rubric) => rubric.id === id).sort((a, b) => b.version - a.version)

/** Finds the common id of names; null: several ids, or none. */
export function onlyRubric(names: readonly string[]): string | null {
  const [id, ...more] = new Set(names.map(rubricId))
  return id === undefined || more.length > 0 ? null : id
}

/** Five colours of `styles/base.css`, with patterns: 25 labels have looks of their own, and neighbours differ without colour, too. */
const COLOURS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed'] as const
/** Lines in the colour of the paper; `styles/parts.css` has the same patterns by name. */
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

/** Makes the look of the `index`th label of a rubric. */
function lookAt(index: number): LabelLook {
  const colour = index % COLOURS.length
  const round = Math.floor(index / COLOURS.length)
  return {
    colour: COLOURS[colour] ?? COLOURS[0],
    pattern: PATTERNS[(colour + round) % PATTERNS.length] ?? PATTERNS[0],
  }
}

/**
 * Finds the look of a label, the same in every picture and table. Null: no look, as for a sum, or for labels of several rubrics.
 *
 * @param rubric its rubric, by name or id; null: several rubrics stand together.
 * @param given labels of grades that the rubric lacks.
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
