import type { Signals } from '../../schemas/ground-truth.ts'
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

/** The first places of a marker in the run, by the search of the evidence gate. */
interface MarkerSights {
  readonly marker: MarkerName
  readonly shown: Hit | null
  readonly prompt: Hit | null
  /** Pictures, unread records and doubtful sights may show the marker, too. */
  readonly mayShow: boolean
}

/** Lists the faults of the markers in a run. Linear: each text is searched once for both markers. */
export function checkRun(run: RunCheck): MarkerFinding[] {
  const { trajectory, anchors } = run
  const sights = readSights(trajectory, anchors)
  const isBlind = firstMedia(trajectory) !== null || trajectory.unread.records > 0
  const markers = MARKERS.filter((marker) => (anchors[marker] ?? null) !== null).map((marker) =>
    sightsOf(marker, sights, isBlind),
  )
  return [...markers.flatMap((sights) => findingsOf(run, sights)), ...signalMismatch(run, markers)]
}

function sightsOf(marker: MarkerName, sights: readonly NeedleSights[], isBlind: boolean): MarkerSights {
  const given = sights.filter(({ needle }) => needle.which === marker && needle.kind !== 'derived')
  const shown = earliest(given.map(({ certain }) => certain))
  return {
    marker,
    shown,
    prompt: earliest(given.map(({ prompt }) => prompt)),
    mayShow: isBlind || given.some(({ certain, doubtful }) => certain !== null || doubtful !== null),
  }
}

function findingsOf(run: RunCheck, { marker, shown, prompt }: MarkerSights): MarkerFinding[] {
  const code = run.removed[marker]
  return [
    // Terminal-Bench's own instruction says what a cue restores.
    ...(prompt === null || code === 'in_baseline'
      ? []
      : [finding(marker, 'leaked_prompt', 'the user or the system says it', [stepOf(prompt)])]),
    ...(shown === null || code === null ? [] : [removedShown(marker, code, shown)]),
    ...unsearchable(run, marker, shown),
  ]
}

const removedShown = (marker: MarkerName, code: 'in_baseline' | 'in_ablation', shown: Hit): MarkerFinding =>
  finding(
    marker,
    code,
    code === 'in_baseline'
      ? 'tool output of a Terminal-Bench run as it is shows it'
      : 'tool output of a run shows it from whose task it was removed',
    [stepOf(shown)],
  )

/** Reports a surface that is a picture, and, where the truth names no surface, a run that shows pictures and not the marker. */
function unsearchable({ trajectory, expectedIn }: RunCheck, marker: MarkerName, shown: Hit | null): MarkerFinding[] {
  const picture = expectedIn.find(isMediaName)
  if (picture !== undefined)
    return [finding(marker, 'unsearchable_media', `its surface cannot be searched: ${picture}`, [])]
  if (expectedIn.length > 0 || shown !== null || firstMedia(trajectory) === null) return []
  return [finding(marker, 'unsearchable_media', 'tool output holds pictures or sound, which may show it', [])]
}

/** Compares `appeared` with the search. The finding names the distractor where the task has one. */
function signalMismatch({ signals }: RunCheck, markers: readonly MarkerSights[]): MarkerFinding[] {
  const { appeared } = signals
  const last = markers.at(-1)
  if (appeared === undefined || last === undefined) return []
  const shown = earliest(markers.map((sights) => sights.shown))
  if (appeared && !markers.some(({ mayShow }) => mayShow))
    return [finding(last.marker, 'signal_mismatch', 'appeared is true, and no tool output shows a marker', [])]
  if (!appeared && shown !== null)
    return [
      finding(last.marker, 'signal_mismatch', 'appeared is false, and tool output shows a marker', [stepOf(shown)]),
    ]
  return []
}

const stepOf = ({ step_id }: Hit): string => `step ${step_id}`
