import { count } from '../words.ts'
import { finding, MARKERS, type MarkerFinding, type MarkerName, type Removed } from './check-run.ts'

/** The part of a task that a file belongs to. `environment` is all that the agent may come to see. */
export type TaskArea = 'environment' | 'prompt' | 'tests' | 'solution'

/** Searched file of a task. */
export interface SearchedFile {
  /** Below the task's folder. */
  readonly path: string
  readonly area: TaskArea
  /** True where `expected_in` names the file; where the truth names no place, every file of the environment is expected. */
  readonly isExpected: boolean
  /** The reason for which the file was not searched; null: it was. */
  readonly unsearched: string | null
  /** Bytes that are no text: what is found in it counts, what is not may be there all the same. */
  readonly isBinary: boolean
  /** Places of the strings of each marker, by line from 1; 0: in the file's name. */
  readonly found: Readonly<Record<MarkerName, readonly { readonly string: string; readonly line: number }[]>>
}

interface TaskCheck {
  readonly files: readonly SearchedFile[]
  /** The markers that the task is searched for. */
  readonly markers: readonly MarkerName[]
  readonly removed: Removed
  /** True where the truth names expected places. */
  readonly isPlaced: boolean
  /** The reason for which the folder was not searched to its end; null: it was. */
  readonly cut: string | null
}

export function checkTask(task: TaskCheck): MarkerFinding[] {
  const findings = MARKERS.filter((marker) => task.markers.includes(marker)).flatMap((marker) => [
    // Terminal-Bench’s own instruction says what a cue restores, and its solution does it: there, only the environment counts.
    ...(task.removed[marker] === 'in_baseline' ? [] : LEAKS).flatMap(([area, code, what]) =>
      standing(marker, code, what, inArea(task.files, area)),
    ),
    ...environmentFindings(task, marker),
  ])
  const apart = findings.some(({ code }) => code === 'missing' || code === 'unsearchable_media')
  return apart ? findings : [...findings, ...notColocated(task)]
}

const LEAKS = [
  ['prompt', 'leaked_prompt', 'the instruction of the task'],
  ['tests', 'leaked_tests', 'the tests of the task'],
  ['solution', 'leaked_solution', 'the solution of the task'],
] as const

const inArea = (files: readonly SearchedFile[], area: TaskArea) => files.filter((file) => file.area === area)

/** Reports a marker that stands in some of the files. */
function standing(marker: MarkerName, code: MarkerFinding['code'], what: string, files: readonly SearchedFile[]) {
  const places = placesIn(files, marker)
  return places.length === 0 ? [] : [finding(marker, code, `stands in ${what}`, places)]
}

function environmentFindings(task: TaskCheck, marker: MarkerName): MarkerFinding[] {
  const code = task.removed[marker]
  if (code === null) return placed(task, marker)
  const found = standing(marker, code, REMOVED_FROM[code], inArea(task.files, 'environment'))
  return found.length > 0 ? found : unsearchable(task, marker)
}

const REMOVED_FROM = {
  in_baseline: 'a Terminal-Bench task as it is',
  in_ablation: 'a task from which it was removed',
}

/** Lists the faults of a marker that belongs into the task: each of its strings stands once, in an expected file, and nowhere else. */
function placed(task: TaskCheck, marker: MarkerName): MarkerFinding[] {
  const all = inArea(task.files, 'environment')
  const expected = all.filter((file) => file.isExpected)
  const inText = expected.filter(({ unsearched }) => unsearched === null)
  if (!inText.some(({ found }) => found[marker].length > 0)) {
    const blind = unsearchable(task, marker)
    return blind.length > 0 ? blind : [missing(task, marker, expected, all)]
  }
  const places = all.flatMap((file) =>
    file.found[marker].map(({ string, line }) => ({ string, place: placeOf(file, line) })),
  )
  const [most = []] = [...Map.groupBy(places, ({ string }) => string).values()].sort((a, b) => b.length - a.length)
  if (most.length > 1) {
    const detail = `stands ${most.length} times in the environment, and should stand once`
    const doubled = most.map(({ place }) => place)
    return [finding(marker, 'ambiguous_anchor', detail, doubled)]
  }
  const unexpected = all.filter((file) => !file.isExpected)
  const stray = placesIn(unexpected, marker)
  if (stray.length > 0) return [finding(marker, 'ambiguous_anchor', 'an anchor stands where none is expected', stray)]
  return unsearchable({ ...task, files: inArea(task.files, 'prompt') }, marker)
}

function missing(
  { isPlaced }: TaskCheck,
  marker: MarkerName,
  expected: readonly SearchedFile[],
  all: readonly SearchedFile[],
): MarkerFinding {
  const elsewhere = placesIn(all, marker)
  const where = !isPlaced
    ? 'in no file of the environment'
    : expected.length === 0
      ? 'nowhere: no file of the environment fits expected_in'
      : `in none of ${count(expected.length, 'expected file')}`
  const more = elsewhere.length === 0 ? '' : ', but elsewhere'
  return finding(marker, 'missing', `stands ${where}${more}`, elsewhere)
}

/** Reports parts that cannot be searched and could show the marker: an expected file, the instruction, or files beyond the end of the search. */
function unsearchable(task: TaskCheck, marker: MarkerName): MarkerFinding[] {
  if (task.cut !== null) return [finding(marker, 'unsearchable_media', `not all was searched: ${task.cut}`)]
  const blind = task.files.filter(
    ({ area, isExpected, unsearched, isBinary }) =>
      (area === 'prompt' && unsearched !== null) || (isExpected && (unsearched !== null || isBinary)),
  )
  const [first] = blind
  if (first === undefined) return []
  const why = first.unsearched ?? 'is no text, and a search of its bytes finds nothing'
  const places = blind.map(({ path }) => path)
  return [finding(marker, 'unsearchable_media', `its surface cannot be searched: ${first.path} ${why}`, places)]
}

/** Reports a distractor on another surface than the cue, for which the surface was chosen. */
function notColocated(task: TaskCheck): MarkerFinding[] {
  if (task.markers.length < 2 || task.removed.cue !== null || task.removed.distractor !== null) return []
  const surfaces = (marker: MarkerName) =>
    inArea(task.files, 'environment').filter(({ isExpected, found }) => isExpected && found[marker].length > 0)
  const cue = surfaces('cue')
  const distractor = surfaces('distractor')
  if (cue.length === 0 || distractor.length === 0 || distractor.some((file) => cue.includes(file))) return []
  const places = [...placesIn(distractor, 'distractor'), ...placesIn(cue, 'cue')]
  return [finding('distractor', 'not_colocated', 'stands on another surface than the cue', places)]
}

const placeOf = ({ path }: SearchedFile, line: number): string =>
  line === 0 ? `${path} (its name)` : `${path}:${line}`

const placesIn = (files: readonly SearchedFile[], marker: MarkerName): string[] => [
  ...new Set(files.flatMap((file) => file.found[marker].map(({ line }) => placeOf(file, line)))),
]
