import type { Step } from '../../domain/trajectory/trajectory.ts'
import { cutName, isRecord, type Json, objectsIn, pointer, type Reading } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readAtif } from './atif.ts'

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
}

/** Bounds a file name, which is repeated in the path of every part of that file. */
const MAX_FILE_NAME = 1000

/** Reads the segments in order, numbers their steps through, and places each subagent behind its first mention. */
function readAtifSegments(reading: Reading, document: Json): ReadDocument {
  const segments = asList(document['segments'])
  const subagents = Object.entries(asRecord(document['subagents']))
  const byName = new Map(subagents.filter((file): file is [string, Json] => isRecord(file[1])))
  const files = { byName, placed: new Set<string>() }
  const runs: ReadDocument[] = []
  let highest = 0
  for (const [segment, path, index] of objectsIn(reading, segments, '/segments')) {
    const isContinued = index < segments.length - 1
    const run = readAtif(reading, segment, path, files, { isContinued })
    const steps = numberOn(run.steps, highest, index)
    highest = steps.reduce((most, step) => Math.max(most, step.id), highest)
    runs.push({ ...run, steps })
  }
  for (const [name] of subagents)
    if (name.length > MAX_FILE_NAME)
      reading.unread('/subagents', `a file name of ${name.length} characters; not read`, true)
    else if (!files.placed.has(name))
      reading.unread(pointer('/subagents', name), `no step refers to ${cutName(name)}; not shown`, true)
  const [first] = runs
  const steps = runs.flatMap((run) => run.steps)
  return { format: first?.format ?? 'atif', agent: first?.agent ?? { name: null, model: null }, steps }
}

/** Numbers a segment's steps on from the segment before, so that a citation names one step of the whole run. */
function numberOn(steps: readonly Step[], highest: number, index: number): Step[] {
  if (index === 0) return [...steps]
  const name = (step: Step): string => cutName(`segment-${index + 1}#${step.name ?? step.id}`)
  return steps.map((step, at) => ({ ...step, id: highest + at + 1, name: name(step) }))
}

/** Lists the files that a trajectory's steps refer to, each name once, in order of first mention. */
export function subagentFilesOf({ steps }: Json): string[] {
  const results = asList(steps).flatMap((step) => asList(asRecord(asRecord(step)['observation'])['results']))
  const refs = results.flatMap((result) => asList(asRecord(result)['subagent_trajectory_ref']))
  return [...new Set(refs.flatMap((ref) => asText(asRecord(ref)['trajectory_path']) ?? []))]
}
