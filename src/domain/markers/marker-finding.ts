import type { GivenGroundTruth, GivenInstruction } from '../../schemas/trial.ts'
import { BASELINE_VARIANT } from '../../schemas/vocabulary.ts'

/**
 * Lists the codes of the marker audit; `veridict audit-markers --help` explains each. `ok` stands alone: everything was searched, and nothing
 * is wrong.
 */
export const MARKER_CODES = [
  ...(['ok', 'missing', 'leaked_prompt', 'leaked_tests', 'leaked_solution', 'not_colocated'] as const),
  ...(['in_baseline', 'in_ablation', 'ambiguous_anchor', 'signal_mismatch', 'unsearchable_media'] as const),
] as const
export type MarkerCode = (typeof MARKER_CODES)[number]

export const MARKERS = ['cue', 'distractor'] as const
export type MarkerName = (typeof MARKERS)[number]

/** A fault of a marker, with its places. */
export interface MarkerFinding {
  readonly marker: MarkerName
  readonly code: Exclude<MarkerCode, 'ok'>
  /** For people: one sentence. */
  readonly detail: string
  /** `path:line` in a task, `step 7` in a run. */
  readonly places: readonly string[]
}

/** The code for a marker that stands where its variant has none; null: the marker belongs there. */
export type Removed = Readonly<Record<MarkerName, 'in_baseline' | 'in_ablation' | null>>

/** Places that a finding names; the detail counts all. */
const MOST_PLACES = 5

export const finding = (
  marker: MarkerName,
  code: Exclude<MarkerCode, 'ok'>,
  detail: string,
  places: readonly string[] = [],
): MarkerFinding => ({
  ...{ marker, code },
  detail: places.length > MOST_PLACES ? `${detail} (${places.length} places)` : detail,
  places: places.slice(0, MOST_PLACES),
})

/** The markers of the row of a task or run, and of any row of the task. */
type MarkersOfRow = Readonly<Record<'own' | 'ofTask', Readonly<Partial<Record<MarkerName, unknown>>>>>

/**
 * Returns the markers that must not be there: both in a Terminal-Bench run as it is, a marker whose removal the variant's name tells, and a
 * marker that the row leaves out while another row of the same task has it.
 */
export function removedIn(variant: string | undefined, { own, ofTask }: MarkersOfRow): Removed {
  const of = (marker: MarkerName): Removed[MarkerName] => {
    if (variant === BASELINE_VARIANT) return 'in_baseline'
    const isLeftOut = own[marker] === undefined && ofTask[marker] !== undefined
    return variant === `${marker}-removed` || isLeftOut ? 'in_ablation' : null
  }
  return { cue: of('cue'), distractor: of('distractor') }
}

/** The markers of a row of ground truth. */
export type MarkerTexts = Partial<Pick<GivenGroundTruth, MarkerName | 'expected_in'>>

/** Lists the strings of a marker that are searched for: its whole text and the given anchors. Derived anchors stand in too many places. */
export function stringsOf(marker: GivenInstruction | undefined): string[] {
  if (marker === undefined) return []
  return typeof marker === 'string' ? [marker] : [...new Set([marker.text, ...(marker.anchors ?? [])])]
}

/** Returns the markers of a task: of each, the first row that has it. A row of an ablation leaves a marker out. */
export const markersOf = (rows: readonly MarkerTexts[]): MarkerTexts =>
  Object.fromEntries(
    MARKERS.flatMap((marker) => {
      const row = rows.find((row) => row[marker] !== undefined)
      return row === undefined ? [] : [[marker, row[marker]]]
    }),
  )

/** Returns the expected places of the markers: of the first row that names places. */
export const placesOf = (rows: readonly MarkerTexts[]): readonly string[] | undefined =>
  rows.find(({ expected_in }) => expected_in !== undefined)?.expected_in
