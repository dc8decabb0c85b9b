import type { GivenGroundTruth, GivenInstruction } from '../../schemas/ground-truth.ts'
import { BASELINE_VARIANT } from '../../schemas/vocabulary.ts'

/**
 * What the marker audit says of one marker in one place. `ok` stands alone: it is said only where everything that was to be searched was
 * searched, and nothing was found that should not be there.
 */
export const MARKER_CODES = [
  /** Nothing is wrong. */
  'ok',
  /** It stands in none of the expected files of its task. */
  'missing',
  /** It stands in the instruction of its task, or the user or the system says it in a run. */
  'leaked_prompt',
  'leaked_tests',
  'leaked_solution',
  /** Cue and distractor stand in expected files, and in no file together. */
  'not_colocated',
  /** A Terminal-Bench task or run as it is shows it. */
  'in_baseline',
  /** A task or run shows it from which it was removed. */
  'in_ablation',
  /** It stands in more than one place: twice in its task, in another task, or in a run where no expected file was accessed yet. */
  'ambiguous_anchor',
  /** The harness measured `appeared` otherwise than the search finds. */
  'signal_mismatch',
  /** Its surface cannot be searched: a picture, a sound, an archive, a link, or more than is read. */
  'unsearchable_media',
] as const
export type MarkerCode = (typeof MARKER_CODES)[number]

export const MARKERS = ['cue', 'distractor'] as const
export type MarkerName = (typeof MARKERS)[number]

/** What is wrong with a marker, and where. */
export interface MarkerFinding {
  readonly marker: MarkerName
  readonly code: Exclude<MarkerCode, 'ok'>
  /** For people: one sentence. */
  readonly detail: string
  /** `path:line` in a task, `step 7` in a run. */
  readonly places: readonly string[]
}

/** Of a marker that a variant does not have: the code for where it stands all the same. Null: the marker belongs there. */
export type Removed = Readonly<Record<MarkerName, 'in_baseline' | 'in_ablation' | null>>

/** How many places a finding names; the detail counts all. */
const MOST_PLACES = 5

export const finding = (
  marker: MarkerName,
  code: Exclude<MarkerCode, 'ok'>,
  detail: string,
  places: readonly string[],
): MarkerFinding => ({
  ...{ marker, code },
  detail: places.length > MOST_PLACES ? `${detail} (${places.length} places)` : detail,
  places: places.slice(0, MOST_PLACES),
})

/** Variants whose name says what was taken out of the environment; every other one has what its ground truth names. */
const CUE_REMOVED = 'cue-removed'
const DISTRACTOR_REMOVED = 'distractor-removed'

/** What the row of a task or run says of its markers, and what any row of the task says. */
interface Known {
  readonly own: Readonly<Partial<Record<MarkerName, unknown>>>
  readonly ofTask: Readonly<Partial<Record<MarkerName, unknown>>>
}

/**
 * Which markers must not be there: both in a Terminal-Bench run as it is, one where the variant's name says that it was removed, or where
 * the row leaves it out and another row of the same task has it.
 */
export function removedIn(variant: string | undefined, { own, ofTask }: Known): Removed {
  const of = (marker: MarkerName, removedBy: string): Removed[MarkerName] => {
    if (variant === BASELINE_VARIANT) return 'in_baseline'
    const isLeftOut = own[marker] === undefined && ofTask[marker] !== undefined
    return variant === removedBy || isLeftOut ? 'in_ablation' : null
  }
  return { cue: of('cue', CUE_REMOVED), distractor: of('distractor', DISTRACTOR_REMOVED) }
}

/** What is known of the markers of a task: rows of ground truth hold it. */
export type MarkerTexts = Partial<Pick<GivenGroundTruth, MarkerName | 'expected_in'>>

/** The strings by which a marker is searched for: its whole text and the given anchors. Derived ones stand in too many places. */
export function stringsOf(marker: GivenInstruction | undefined): string[] {
  if (marker === undefined) return []
  return typeof marker === 'string' ? [marker] : [...new Set([marker.text, ...(marker.anchors ?? [])])]
}

/** The markers that any row of a task names: a row of an ablation leaves one out. The first row that has one says it. */
export const markersOf = (rows: readonly MarkerTexts[]): MarkerTexts =>
  Object.fromEntries(
    MARKERS.flatMap((marker) => {
      const row = rows.find((one) => one[marker] !== undefined)
      return row === undefined ? [] : [[marker, row[marker]]]
    }),
  )

/** Where the markers of a task are expected: as the first row says that names places. */
export const placesOf = (rows: readonly MarkerTexts[]): readonly string[] | undefined =>
  rows.find(({ expected_in }) => expected_in !== undefined)?.expected_in
