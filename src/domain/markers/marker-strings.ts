import type { GivenGroundTruth, GivenInstruction } from '../../schemas/ground-truth.ts'
import { MARKERS, type MarkerName } from './marker-finding.ts'

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
