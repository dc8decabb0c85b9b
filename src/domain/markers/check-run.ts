import type { Signals } from '../../schemas/trial.ts'
import type { Anchors } from '../anchors/anchors.ts'
import { earliest, firstMedia } from '../evidence/observations.ts'
import { type NeedleSights, readSights } from '../sights/sights.ts'
import type { Hit, Trajectory } from '../trajectory/trajectory.ts'
import { finding, MARKERS, type MarkerFinding, type MarkerName, type Removed } from './marker-finding.ts'
import { isMediaName } from './media-names.ts'

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
