import type { GivenGroundTruth, GivenInstruction, Signals } from '../../schemas/trial.ts'
import { BASELINE_VARIANT } from '../../schemas/vocabulary.ts'
import type { Anchors } from '../anchors/anchors.ts'
import { earliest, firstMedia } from '../evidence/observations.ts'
import { stringNeedles } from '../sights/needle-search.ts'
import { type NeedleSights, readSights, surePlaces } from '../sights/sights.ts'
import { readLetters } from '../text/letters.ts'
import type { Hit, Trajectory } from '../trajectory/trajectory.ts'
import data from '../words.json' with { type: 'json' }
import { baseName, wordSet } from '../words.ts'

export interface RunCheck {
  readonly trajectory: Trajectory
  /** Of all markers that are searched for, removed ones too. */
  readonly anchors: Anchors
  readonly removed: Removed
  /** Globs; empty: the truth names no place. */
  readonly expectedIn: readonly string[]
  readonly signals: Signals
}

/** Lists the faults of the markers in a run. Linear: each text is searched once for both markers. */
export function checkRun({ trajectory, anchors, removed, expectedIn, signals }: RunCheck): MarkerFinding[] {
  const sights = readSights(trajectory, anchors)
  const hasMedia = firstMedia(trajectory) !== null
  const isBlind = hasMedia || trajectory.unread.records > 0
  const markers = MARKERS.filter((marker) => (anchors[marker] ?? null) !== null).map((marker) =>
    sightsOf(marker, sights, isBlind),
  )
  const picture = expectedIn.find(isMediaName)
  const findings = markers.flatMap(({ marker, shown, prompt }) => {
    const code = removed[marker]
    const mayBeMedia = hasMedia && expectedIn.length === 0 && shown === null
    return [
      // Terminal-Bench's own instruction says what a cue restores.
      ...(prompt === null || code === 'in_baseline'
        ? []
        : [finding(marker, 'leaked_prompt', 'the user or the system says it', stepOf(prompt))]),
      ...(shown === null || code === null ? [] : [finding(marker, code, REMOVED_FROM[code], stepOf(shown))]),
      ...(picture !== undefined
        ? [finding(marker, 'unsearchable_media', `its surface cannot be searched: ${picture}`)]
        : []),
      ...(mayBeMedia
        ? [finding(marker, 'unsearchable_media', 'tool output holds pictures or sound, which may show it')]
        : []),
    ]
  })
  return [...findings, ...signalMismatch(signals, markers)]
}

const REMOVED_FROM = {
  in_baseline: 'tool output of a Terminal-Bench run as it is shows it',
  in_ablation: 'tool output of a run shows it from whose task it was removed',
} as const

/** Finds the first places of a marker in the run, by the search of the evidence gate. */
function sightsOf(marker: MarkerName, sights: readonly NeedleSights[], isBlind: boolean) {
  const given = sights.filter(({ needle }) => needle.which === marker && needle.kind !== 'derived')
  return {
    marker,
    shown: earliest(given.map(({ certain }) => certain)),
    prompt: earliest(given.map(({ prompt }) => prompt)),
    /** Pictures, unread records and doubtful sights may show the marker, too. */
    mayShow: isBlind || given.some(({ certain, doubtful }) => certain !== null || doubtful !== null),
  }
}

/** Compares `appeared` with the search. The finding names the distractor where the task has one. */
function signalMismatch({ appeared }: Signals, markers: readonly ReturnType<typeof sightsOf>[]): MarkerFinding[] {
  const last = markers.at(-1)
  if (appeared === undefined || last === undefined) return []
  const mismatch = (detail: string, places: readonly string[] = []) => [
    finding(last.marker, 'signal_mismatch', detail, places),
  ]
  const shown = earliest(markers.map((sights) => sights.shown))
  if (!appeared)
    return shown === null ? [] : mismatch('appeared is false, and tool output shows a marker', stepOf(shown))
  return markers.some(({ mayShow }) => mayShow) ? [] : mismatch('appeared is true, and no tool output shows a marker')
}

const stepOf = ({ step_id }: Hit): [string] => [`step ${step_id}`]

/** Codes of the marker audit; `veridict audit-markers --help` explains each. `ok` stands alone: everything was searched, and nothing is wrong. */
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

/** Returns the markers that must be absent: both in a Terminal-Bench run as it is, one that the variant's name removes, one that only other rows have. */
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

/** Makes the search for strings of markers with their places: through disguises as sights are found, whole words only. Linear in the text. */
export function createMarkerSearch(strings: readonly string[]) {
  const needles = stringNeedles(strings)
  return (text: string) => (needles.all.length === 0 ? [] : surePlaces(needles, text, readLetters(text)))
}

/** Endings of files whose content shows, sounds or is packed: a search of their bytes says nothing of what they hold. SVG is text. */
const ENDINGS = wordSet(data.media_endings)

export function isMediaName(path: string): boolean {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot >= 0 && ENDINGS.has(name.slice(dot + 1).toLowerCase())
}
