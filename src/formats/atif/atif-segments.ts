import type { Step } from '../../domain/trajectory/trajectory.ts'
import { cutName, isRecord, type Json, pointer, Reading } from '../common/reading.ts'
import { asList, asRecord } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { ATIF, readAtif } from './atif.ts'

/**
 * The format of one ATIF run whose harness wrote several files, combined into one document: `{ "segments": [trajectory, continuation, …],
 * "subagents": { "trajectory.summarization-1-summary.json": trajectory } }`.
 *
 * `segments` follow the order of their `continued_trajectory_ref`; the keys of `subagents` are the values of `trajectory_path`. The path of
 * a part is a pointer into this document.
 */
export const ATIF_SEGMENTS: Format = {
  name: 'atif-segments',
  recognizes: ({ schema_version: version, segments, subagents }) =>
    version === undefined &&
    Array.isArray(segments) &&
    segments.some((segment) => isRecord(segment) && Array.isArray(segment['steps'])) &&
    (subagents === undefined || isRecord(subagents)),
  read: readAtifSegments,
  asides: ATIF.asides ?? new Set(),
}

const ROOT_FIELDS = new Set(['segments', 'subagents'])
/** Bounds a file name, which is repeated in the path of every part of that file. */
const MAX_FILE_NAME = 1000

/** Reads the segments in order, numbers their steps through, and places each subagent behind its first mention. */
function readAtifSegments(reading: Reading, document: Json): ReadDocument {
  reading.warnUnknown(document, '', ROOT_FIELDS)
  const segments = asList(document['segments'])
  const subagents = asRecord(document['subagents'])
  const placed = new Set<string>()
  const runs: ReadDocument[] = []
  let highest = 0
  for (const [index, segment] of segments.entries()) {
    const path = `/segments/${index}`
    if (!isRecord(segment)) {
      reading.error(path, 'a segment must be an ATIF trajectory')
      continue
    }
    const goesOn = index === segments.length - 1 ? null : `${path}/continued_trajectory_ref`
    const run = readSegment(reading, embedSubagentFiles(segment, path, subagents, placed), goesOn)
    runs.push({ ...run, steps: numberOn(run.steps, highest, index) })
    highest = runs.at(-1)?.steps.reduce((most, step) => Math.max(most, step.id), highest) ?? highest
  }
  for (const name of Object.keys(subagents))
    if (name.length > MAX_FILE_NAME) reading.error('/subagents', `a file name of ${name.length} characters`)
    else if (!placed.has(name))
      reading.unread(pointer('/subagents', name), `no step refers to ${cutName(name)}; not shown`, true)
  const steps = runs.flatMap((run) => run.steps)
  reading.takeSteps(steps.length, '/segments')
  const [first] = runs
  return { format: first?.format ?? 'atif', agent: first?.agent ?? { name: null, model: null }, steps }
}

/** Numbers a segment's steps on from the segment before, so that a citation names one step of the whole run. */
function numberOn(steps: readonly Step[], highest: number, index: number): Step[] {
  if (index === 0) return [...steps]
  const name = (step: Step): string => cutName(`segment-${index + 1}#${step.name ?? step.id}`)
  return steps.map((step, at) => ({ ...step, id: highest + at + 1, name: name(step) }))
}

/** Reads one segment with its subagent files. `goesOn`: the path of its reference to the next segment; null for the last segment. */
function readSegment(
  reading: Reading,
  { document, sourceOf, resolved }: EmbeddedFiles,
  goesOn: string | null,
): ReadDocument {
  const own = new Reading(reading.limits, (at) => sourceOf(at) === goesOn || resolved.has(sourceOf(at)))
  const run = readAtif(own, document)
  reading.addUnread(own.unreadSoFar)
  for (const passed of own.passed) reading.leaveOut(sourceOf(passed))
  for (const issue of own.errors.toArray()) reading.error(sourceOf(issue.path), issue.message)
  for (const issue of own.warnings.toArray()) reading.warn(sourceOf(issue.path), issue.message)
  const steps = run.steps.map((step) => ({
    ...step,
    parts: step.parts.map((part) => ({ ...part, path: sourceOf(part.path) })),
  }))
  return { ...run, steps }
}

/** Bounds the nesting of subagent files inside of subagent files; terminus-2 nests one level. */
const MAX_NESTING = 7

interface EmbeddedFiles {
  /** The trajectory, with each subagent file as an embedded subagent. */
  readonly document: Json
  /** Maps a path in `document` to a pointer into the combined document. */
  sourceOf(path: string): string
  /** Pointers, in the combined document, of the references whose file is present. */
  readonly resolved: ReadonlySet<string>
}

/** Embeds the files that steps refer to, each at its first reference, for `readAtif` to place. `placed`: the names over all segments, so that circles end. */
function embedSubagentFiles(
  trajectory: Json,
  path: string,
  subagents: Json,
  placed: Set<string>,
  depth = 0,
): EmbeddedFiles {
  const own = asList(trajectory['subagent_trajectories'])
  const resolved = new Set<string>()
  const files: { readonly name: string; readonly embedded: EmbeddedFiles }[] = []
  const steps = mapRefs(trajectory, path, (ref, at) => {
    const name = ref['trajectory_path']
    if (typeof name !== 'string' || !Object.hasOwn(subagents, name)) return ref
    const file = subagents[name]
    if (!isRecord(file) || depth >= MAX_NESTING) return ref
    resolved.add(at)
    if (!placed.has(name)) {
      placed.add(name)
      const embedded = embedSubagentFiles(file, pointer('/subagents', name), subagents, placed, depth + 1)
      files.push({ name, embedded })
    }
    return { trajectory_id: name }
  })
  for (const { embedded } of files) for (const at of embedded.resolved) resolved.add(at)
  if (files.length === 0) return { document: { ...trajectory, steps }, sourceOf: (at) => `${path}${at}`, resolved }
  const added = files.map(({ name, embedded }) => ({ ...embedded.document, trajectory_id: name }))
  const sourceOf = (at: string): string => {
    const [head, index, ...rest] = at.split('/').slice(1)
    const file = head === 'subagent_trajectories' ? files[Number(index) - own.length] : undefined
    if (file === undefined) return `${path}${at}`
    return file.embedded.sourceOf(rest.map((token) => `/${token}`).join(''))
  }
  return { document: { ...trajectory, steps, subagent_trajectories: [...own, ...added] }, sourceOf, resolved }
}

/** Lists the files that a trajectory's steps refer to, each name once, in order of first mention. */
export function subagentFilesOf(trajectory: Json): string[] {
  const names = new Set<string>()
  mapRefs(trajectory, '', (ref) => {
    const name = ref['trajectory_path']
    if (typeof name === 'string' && name !== '') names.add(name)
    return ref
  })
  return [...names]
}

/** Maps each subagent reference of a trajectory's steps. Values of another form stay unchanged, so that the reader reports them. */
function mapRefs(trajectory: Json, path: string, replace: (ref: Json, at: string) => Json): unknown {
  return mapItems(trajectory['steps'], `${path}/steps`, (step, stepAt) => {
    const observation = step['observation']
    if (!isRecord(observation)) return step
    let changed = false
    const results = mapItems(observation['results'], `${stepAt}/observation/results`, (result, resultAt) => {
      const refs = result['subagent_trajectory_ref']
      if (!Array.isArray(refs)) return result
      changed = true
      return { ...result, subagent_trajectory_ref: mapItems(refs, `${resultAt}/subagent_trajectory_ref`, replace) }
    })
    return changed ? { ...step, observation: { ...observation, results } } : step
  })
}

function mapItems(items: unknown, path: string, map: (item: Json, at: string) => Json): unknown {
  if (!Array.isArray(items)) return items
  return items.map((item: unknown, index) => (isRecord(item) ? map(item, pointer(path, index)) : item))
}
