import type { Signals } from '../../schemas/ground-truth.ts'
import type { Anchors } from '../evidence/anchors.ts'
import { earliest, firstMedia } from '../evidence/observations.ts'
import { type NeedleSights, readSights } from '../sights/sights.ts'
import type { Hit } from '../text/search.ts'
import type { Trajectory } from '../trajectory/trajectory.ts'
import { mayHaveAccessed } from './first-access.ts'
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

/** Whether a marker came to the agent in tool output. It cannot be said of pictures, of records that could not be read, and of a doubtful sight. */
export type Reached = boolean | 'unknown'

interface CheckedRun {
  readonly findings: readonly MarkerFinding[]
  /** Of the markers that belong there. */
  readonly reached: Readonly<Partial<Record<MarkerName, Reached>>>
}

/** Where one marker stands in the run, by the search of the evidence gate. */
interface MarkerSights {
  readonly marker: MarkerName
  readonly shown: Hit | null
  readonly prompt: Hit | null
  readonly reached: Reached
}

/** Everything that is wrong with the markers of one run, and which of them reached the agent. Linear: each text is searched once for both. */
export function checkRun(run: RunCheck): CheckedRun {
  const { trajectory, anchors, removed } = run
  const sights = readSights(trajectory, anchors)
  const isBlind = firstMedia(trajectory) !== null || trajectory.unread.records > 0
  const markers = MARKERS.filter((marker) => (anchors[marker] ?? null) !== null).map((marker) =>
    sightsOf(marker, sights, isBlind),
  )
  const here = markers.filter(({ marker }) => removed[marker] === null)
  return {
    findings: [...markers.flatMap((one) => findingsOf(run, one)), ...signalMismatch(run, markers)],
    reached: Object.fromEntries(here.map(({ marker, reached }) => [marker, reached])),
  }
}

function sightsOf(marker: MarkerName, sights: readonly NeedleSights[], isBlind: boolean): MarkerSights {
  const given = sights.filter(({ needle }) => needle.which === marker && needle.kind !== 'derived')
  const shown = earliest(given.map(({ certain }) => certain))
  const isDoubtful = isBlind || given.some(({ doubtful }) => doubtful !== null)
  return {
    marker,
    shown,
    prompt: earliest(given.map(({ prompt }) => prompt)),
    reached: shown !== null || (isDoubtful ? 'unknown' : false),
  }
}

function findingsOf(run: RunCheck, { marker, shown, prompt }: MarkerSights): MarkerFinding[] {
  const code = run.removed[marker]
  return [
    // Terminal-Bench's own instruction says what a cue restores.
    ...(prompt === null || code === 'in_baseline'
      ? []
      : [finding(marker, 'leaked_prompt', 'the user or the system says it', [stepOf(prompt)])]),
    ...(shown === null ? [] : code === null ? tooEarly(run, marker, shown) : [removedShown(marker, code, shown)]),
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

function tooEarly({ trajectory, expectedIn }: RunCheck, marker: MarkerName, shown: Hit): MarkerFinding[] {
  if (expectedIn.length === 0 || mayHaveAccessed(trajectory, expectedIn, shown.position)) return []
  const detail = 'tool output shows it before the agent accessed any expected file'
  return [finding(marker, 'ambiguous_anchor', detail, [stepOf(shown)])]
}

/** Of a surface that is a picture, and, where the truth names no surface, of a run that shows pictures and not the marker. */
function unsearchable({ trajectory, expectedIn }: RunCheck, marker: MarkerName, shown: Hit | null): MarkerFinding[] {
  const picture = expectedIn.find(isMediaName)
  if (picture !== undefined)
    return [finding(marker, 'unsearchable_media', `its surface cannot be searched: ${picture}`, [])]
  if (expectedIn.length > 0 || shown !== null || firstMedia(trajectory) === null) return []
  return [finding(marker, 'unsearchable_media', 'tool output holds pictures or sound, which may show it', [])]
}

/** Told of the distractor where there is one: `appeared` is measured of the surface, and the distractor is what it is used for. */
function signalMismatch({ signals }: RunCheck, markers: readonly MarkerSights[]): MarkerFinding[] {
  const { appeared } = signals
  const last = markers.at(-1)
  if (appeared === undefined || last === undefined) return []
  const shown = earliest(markers.map((one) => one.shown))
  if (appeared && markers.every(({ reached }) => reached === false))
    return [finding(last.marker, 'signal_mismatch', 'appeared is true, and no tool output shows a marker', [])]
  if (!appeared && shown !== null)
    return [
      finding(last.marker, 'signal_mismatch', 'appeared is false, and tool output shows a marker', [stepOf(shown)]),
    ]
  return []
}

const stepOf = ({ step_id }: Hit): string => `step ${step_id}`
