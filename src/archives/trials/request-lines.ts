import { parseJson } from '../../domain/text/exact-json.ts'
import { type Line, LineSplitter } from '../../domain/text/line-splitter.ts'
import { rememberSentText } from '../../domain/trajectory/sent-text.ts'
import { referenceIn } from '../../domain/trajectory/trajectory.ts'
import { isRecord, type Json, typeName } from '../../formats/common/reading.ts'
import { readTrajectory } from '../../formats/read.ts'
import { inputIssues } from '../../schemas/check.ts'
import {
  type GradeOptions,
  GradeOptionsSchema,
  type TrialMetadata,
  TrialMetadataSchema,
} from '../../schemas/grade-request.ts'
import { type GivenTruth, truthSchemaFor } from '../../schemas/ground-truth.ts'
import { completeTruth } from '../truth/truth-row.ts'
import type { FoundTruth } from '../truth/truth-tables.ts'
import { chunksOf } from '../unpack/file-bytes.ts'
import { safeText } from '../unpack/names.ts'
import { codeOf, type Place } from '../unpack/place.ts'
import { decodeText } from '../unpack/text.ts'
import { nameOf, type Scope, skip } from './reading-job.ts'
import { tellIssue } from './run-files.ts'
import type { TrialItem } from './trial-item.ts'
import { anchorWarnings, droppedBy, findTruth } from './trial-join.ts'

/** The lines of a file, never more of it held than one line and one chunk. Empty lines are counted and left out. */
export async function* linesOf(path: string, maxBytes: number): AsyncGenerator<Line> {
  const splitter = new LineSplitter(maxBytes)
  const isText = ({ bytes }: Line) => bytes === null || bytes.length > 0
  for await (const chunk of chunksOf(path)) for (const line of splitter.feed(chunk)) if (isText(line)) yield line
  for (const line of splitter.end()) if (isText(line)) yield line
}

/** Whether a file holds grade requests, one a line. Looks at the first line that may be read. */
export async function holdsRequests(path: string, maxBytes: number): Promise<boolean> {
  for await (const { bytes } of linesOf(path, maxBytes)) {
    if (bytes === null) continue
    return bytes.includes('"trajectory"') && isRequest(parseLine(bytes))
  }
  return false
}

/** A grade request is told by its trajectory, which is a document; in no format is there one under this name. */
export const isRequest = (value: unknown): value is Json => isRecord(value) && isRecord(value['trajectory'])

export function parseLine(bytes: Buffer): unknown {
  const read = decodeText(bytes)
  if (read.kind !== 'read') return undefined
  const value = parseJson(read.text)
  if (read.warnings.length === 0) rememberSentText(value, bytes)
  return value
}

/** A file of ready grade requests, one item a line. A line that is too long or that is no request is skipped by its number. */
export const readRequestLines = (scope: Scope, file: Place): AsyncGenerator<TrialItem> =>
  untilFault(scope, file, readLines(scope, file))

async function* readLines(scope: Scope, file: Place): AsyncGenerator<TrialItem> {
  const most = scope.job.limits.max_line_bytes
  for await (const { number, bytes } of linesOf(file.path, most)) {
    const at = `line ${number}`
    if (bytes === null) {
      yield skip(scope, file, 'refused', `the line has more than the ${most} bytes that are read of one`, at)
      continue
    }
    const value = parseLine(bytes)
    if (value === undefined) yield skip(scope, file, 'unreadable', `${at} is not JSON`, at)
    else if (isRequest(value)) yield requestItem(scope, file, value, at)
    else yield skip(scope, file, 'unreadable', `${at}: a request has a trajectory, an object`, at)
  }
}

/** What stands before the fault of a disk is read; the fault is told, and ends this file only. */
async function* untilFault(scope: Scope, file: Place, items: AsyncIterable<TrialItem>): AsyncGenerator<TrialItem> {
  try {
    yield* items
  } catch (error) {
    scope.job.options.abort?.throwIfAborted()
    yield skip(scope, file, 'unreadable', `cannot be read to its end: ${codeOf(error)}`, 'rest')
  }
}

/** One grade request of a file. `at` tells it from others of the file where it names no `item_id`. */
export function requestItem(scope: Scope, file: Place, request: Json, at: string): TrialItem {
  const { item_id: id, trajectory, ground_truth: given, metadata = {}, ...options } = request
  const name = typeof id === 'string' && id !== '' ? id : nameOf(scope, file, at)
  const refuse = (reason: 'unreadable' | 'no_ground_truth', detail: string): TrialItem => ({
    ...skip(scope, file, reason, at === '' ? detail : `${at}, ${detail}`, at),
    name,
  })
  if (!isRecord(trajectory)) return refuse('unreadable', `/trajectory: must be an object, not ${typeName(trajectory)}`)
  const { metadata: set } = scope.job.options
  const read = referenceIn(trajectory) === null ? readTrajectory(trajectory, scope.job.limits.read) : null
  const issues = [
    ...inputIssues(GradeOptionsSchema, options),
    ...inputIssues(TrialMetadataSchema, metadata).map(({ path, message }) => ({ path: `/metadata${path}`, message })),
    ...(read?.ok === false ? read.error.map(({ path, message }) => ({ path: `/trajectory${path}`, message })) : []),
  ]
  const warnings: string[] = []
  const rubric = typeof options['rubric'] === 'string' ? options['rubric'] : scope.job.options.rubric
  const known = truthOf(scope, given, metadata, rubric, warnings)
  if (Array.isArray(known)) issues.push(...known)
  const [issue] = issues
  if (issue !== undefined) return refuse('unreadable', tellIssue(issue))
  if (known === null || Array.isArray(known))
    return refuse('no_ground_truth', 'it has none, and none is known of its task')
  const { truth } = known
  if (read?.ok === true) warnings.push(...anchorWarnings(scope, truth, read.value))
  const variant = scope.job.options.variant ?? known.variant ?? undefined
  return {
    kind: 'trial',
    name,
    source: safeText(at === '' ? file.shown : `${file.shown}#${at}`),
    request: {
      ...(options as GradeOptions),
      trajectory,
      ground_truth: truth,
      metadata: {
        ...known.metadata,
        ...(metadata as TrialMetadata),
        ...(variant !== undefined && { variant }),
        ...set,
      },
    },
    trajectory: read?.ok === true ? read.value : null,
    warnings,
  }
}

/** The request's own ground truth, else the one that is known of its task; issues where its own is malformed. */
function truthOf(
  scope: Scope,
  given: unknown,
  metadata: unknown,
  rubric: string | undefined,
  warnings: string[],
): KnownTruth | { path: string; message: string }[] | null {
  if (given !== undefined && given !== null) {
    const issues = inputIssues(truthSchemaFor(rubric), given)
    if (issues.length > 0) return issues.map(({ path, message }) => ({ path: `/ground_truth${path}`, message }))
    return { truth: given as GivenTruth, variant: null, metadata: {} }
  }
  const named = (field: string): string[] =>
    isRecord(metadata) && typeof metadata[field] === 'string' ? [metadata[field]] : []
  const [variant] = named('variant')
  const found = findTruth(scope, { tasks: named('task'), trials: named('trial'), variant })
  if (found === null) return null
  warnings.push(...droppedBy(found))
  const truth = completeTruth(found.truth, undefined, rubric)
  return truth === null ? null : { truth, variant: found.variant, metadata: found.metadata }
}

interface KnownTruth {
  readonly truth: GivenTruth
  /** The variant that its row names. */
  readonly variant: string | null
  readonly metadata: FoundTruth['metadata']
}
