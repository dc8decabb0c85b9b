import type { Issue } from '../../domain/result.ts'
import { parseJson } from '../../domain/text/json.ts'
import { type Line, splitLines } from '../../domain/text/line-splitter.ts'
import { referenceIn } from '../../domain/trajectory/trajectory.ts'
import { isRecord, type Json } from '../../formats/common/reading.ts'
import { readTrajectory } from '../../formats/read.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { GivenTruth, GradeOptions, TrialMetadata } from '../../schemas/trial.ts'
import { GradeOptionsSchema, TrialMetadataSchema, truthSchemaFor } from '../../schemas/trial.ts'
import { completeTruth, type MatchedTruth } from '../truth/truth-rows.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { safeText } from '../unpack/names.ts'
import { chunksOf, codeOf, decodeText, type Place, readText } from '../unpack/place.ts'
import { nameOf, type Scope, skip, type TrialItem } from './reading-job.ts'
import { tellIssue } from './run-files.ts'
import { anchorWarnings, droppedBy, findTruth } from './trial-join.ts'

/** Yields the lines of a file, with at most one line and one chunk in memory. Empty lines are counted and left out. */
export async function* linesOf(path: string, maxBytes: number): AsyncGenerator<Line> {
  for await (const line of splitLines(chunksOf(path), maxBytes)) if (line.bytes?.length !== 0) yield line
}

/** Lines of a file among which the first grade request is looked for. */
const MOST_ODD_LINES = 100

/** Tells whether a file holds grade requests, one a line. Odd lines may stand before the first; a JSON document of several lines has none. */
export async function holdsRequests(file: Place, { max_line_bytes, max_file_bytes }: ArchiveLimits): Promise<boolean> {
  for await (const { number, bytes } of linesOf(file.path, max_line_bytes)) {
    if (number > MOST_ODD_LINES) break
    if (!bytes?.includes('"trajectory"') || !isRequest(parseLine(bytes))) continue
    const whole = number === 1 ? null : await readText(file, max_file_bytes)
    return whole?.kind !== 'read' || parseJson(whole.text) === undefined
  }
  return false
}

/** Recognizes a grade request by its trajectory, which is a document; no format has a member of this name with a document. */
export const isRequest = (value: unknown): value is RequestLine => isRecord(value) && isRecord(value['trajectory'])
type RequestLine = Json & { readonly trajectory: Json }

export function parseLine(bytes: Buffer): unknown {
  const read = decodeText(bytes)
  return read.kind === 'read' ? parseJson(read.text) : undefined
}

/** Reads grade requests, one a line. A line too long or no request is skipped by number; a fault of the disk is reported and ends only this file. */
export async function* readRequestLines(scope: Scope, file: Place): AsyncGenerator<TrialItem> {
  const most = scope.job.limits.max_line_bytes
  try {
    for await (const { number, bytes } of linesOf(file.path, most)) {
      const at = `line ${number}`
      const value = bytes === null ? null : parseLine(bytes)
      if (bytes === null)
        yield skip(scope, file, 'refused', `the line has more than the ${most} bytes that are read of one`, at)
      else if (value === undefined) yield skip(scope, file, 'unreadable', `${at} is not JSON`, at)
      else if (isRequest(value)) yield requestItem(scope, file, value, at)
      else yield skip(scope, file, 'unreadable', `${at}: a request has a trajectory, an object`, at)
    }
  } catch (error) {
    scope.job.options.abort?.throwIfAborted()
    yield skip(scope, file, 'unreadable', `cannot be read to its end: ${codeOf(error)}`, 'rest')
  }
}

/** Reads one grade request of a file. `at` names it within the file where it has no `item_id`. */
export function requestItem(scope: Scope, file: Place, request: RequestLine, at: string): TrialItem {
  const { item_id: id, trajectory, ground_truth: supplied, metadata = {}, human, ...options } = request
  const name = typeof id === 'string' && id !== '' ? id : nameOf(scope, file, at)
  const refuse = (reason: 'unreadable' | 'no_ground_truth', detail: string): TrialItem => ({
    ...skip(scope, file, reason, at === '' ? detail : `${at}, ${detail}`, at),
    name,
  })
  const read = referenceIn(trajectory) === null ? readTrajectory(trajectory, scope.job.limits.read) : null
  const issues = [
    ...inputIssues(GradeOptionsSchema, options),
    ...inputIssues(TrialMetadataSchema, metadata).map(({ path, message }) => ({ path: `/metadata${path}`, message })),
    ...(read?.ok === false ? read.error.map(({ path, message }) => ({ path: `/trajectory${path}`, message })) : []),
  ]
  const warnings: string[] = []
  const rubric = typeof options['rubric'] === 'string' ? options['rubric'] : scope.job.options.rubric
  const resolved = truthOf(scope, supplied, metadata, rubric, warnings)
  if (Array.isArray(resolved)) issues.push(...resolved)
  const [issue] = issues
  if (issue !== undefined) return refuse('unreadable', tellIssue(issue))
  if (resolved === null || Array.isArray(resolved))
    return refuse('no_ground_truth', 'it has no ground_truth, and no given row is of its task or trial')
  if (read?.ok === true) warnings.push(...anchorWarnings(scope, resolved.truth))
  const variant = scope.job.options.variant ?? resolved.variant ?? undefined
  return {
    kind: 'trial',
    name,
    ...(typeof id === 'string' && id !== '' && { item_id: id }),
    ...(human !== undefined && { human }),
    source: safeText(at === '' ? file.shown : `${file.shown}#${at}`),
    request: {
      ...(options as GradeOptions),
      trajectory,
      ground_truth: resolved.truth,
      metadata: {
        ...resolved.metadata,
        ...(metadata as TrialMetadata),
        ...(variant !== undefined && { variant }),
        ...scope.job.options.metadata,
      },
    },
    trajectory: read?.ok === true ? read.value : null,
    warnings,
  }
}

/** Returns the request's own ground truth, else that of its task; issues where its own is malformed. */
function truthOf(
  scope: Scope,
  supplied: unknown,
  metadata: unknown,
  rubric: string | undefined,
  warnings: string[],
): Pick<MatchedTruth, 'truth' | 'variant' | 'metadata'> | Issue[] | null {
  if (supplied !== undefined && supplied !== null) {
    const issues = inputIssues(truthSchemaFor(rubric), supplied)
    if (issues.length > 0) return issues.map(({ path, message }) => ({ path: `/ground_truth${path}`, message }))
    return { truth: supplied as GivenTruth, variant: null, metadata: {} }
  }
  const named = (field: string): string[] =>
    isRecord(metadata) && typeof metadata[field] === 'string' ? [metadata[field]] : []
  const match = findTruth(scope, { tasks: named('task'), trials: named('trial'), variant: named('variant')[0] })
  if (match === null) return null
  warnings.push(...droppedBy(match))
  const truth = completeTruth(match.truth, undefined, rubric)
  if (truth === null) return [{ path: '/ground_truth/instruction', message: 'is missing in the row of its task' }]
  return { truth, variant: match.variant, metadata: match.metadata }
}
