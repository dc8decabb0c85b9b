import { isUploaded, parseLine } from '../archives/trials/request-lines.ts'
import { isLarge } from '../asking/turns.ts'
import { normalizeGroundTruth } from '../domain/cache-key.ts'
import { weakAnchors } from '../domain/evidence/weak-anchors.ts'
import { readStrictJson } from '../domain/text/strict-json.ts'
import { fullCoverage } from '../domain/trajectory/rendering.ts'
import { rememberSentText } from '../domain/trajectory/sent-text.ts'
import { textSize } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { findUnsound } from '../formats/common/json-tree.ts'
import { isRecord, type Json, type ReadLimits } from '../formats/common/reading.ts'
import { readTrajectory } from '../formats/read.ts'
import { inputIssues } from '../schemas/check.ts'
import { type GivenGroundTruth, GivenGroundTruthSchema, type GroundTruth } from '../schemas/ground-truth.ts'
import { packBytes, textOf } from '../storage/stored-text.ts'
import type { ReadBody, ReadBodyJob, ReadLineJob, ReadRequest, ReadRun, Searched } from './trial-jobs.ts'

/** Hears of what was read, and of its ground truth, where it has one of its own; answers what the search for it came to. */
type OnRead = (trajectory: Trajectory, truth: GroundTruth | null) => Promise<Searched | null>

/** Parses a body as the main thread does, and reads the trajectory in it. For the worker. */
export async function readBody({ chunks, limits }: ReadBodyJob, onRead: OnRead): Promise<ReadBody> {
  const bytes = Buffer.concat(chunks)
  const parsed = readStrictJson(bytes, limits.depth)
  if (!parsed.ok) return { refused: parsed.error }
  rememberSentText(parsed.value, bytes)
  return readRequest(parsed.value, limits, onRead)
}

/**
 * The same for a line of a file, whose faults are told otherwise; a body of `undefined`: it is no JSON. Null: it is nested so deep that it cannot be
 * handed over.
 */
export async function readLine({ bytes, limits }: ReadLineJob, onRead: OnRead): Promise<ReadRequest | null> {
  const body = parseLine(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  // The ground truths of others stand with the main thread, which then needs the run itself.
  const hasTruth = isRecord(body) && truthOf(body) !== null
  const read = hasTruth ? await readRequest(body, limits, onRead) : { body, trajectory: null }
  return findUnsound(read.body).tooDeep ? null : read
}

async function readRequest(body: unknown, limits: ReadLimits, onRead: OnRead): Promise<ReadRequest> {
  if (!isRecord(body) || !isRecord(body['trajectory'])) return { body, trajectory: null }
  const { trajectory: document, ...rest } = body
  // The name of a stored one, not a document.
  if (isUploaded(document)) return { body, trajectory: null }
  const read = readTrajectory(document, limits)
  if (!read.ok) return { body: rest, trajectory: read }
  const given = truthOf(body)
  const truth = given === null ? null : normalizeGroundTruth(given)
  const searched = await onRead(read.value, truth)
  return { body: rest, trajectory: { ok: true, value: runOf(read.value, document, truth, searched) } }
}

function runOf(trajectory: Trajectory, document: Json, truth: GroundTruth | null, searched: Searched | null): ReadRun {
  const { steps: _, ...head } = trajectory
  // Not a view of a buffer that others share: all of that would be copied.
  const stored = new Uint8Array(packBytes(textOf(document)))
  return {
    head,
    measure: {
      text: textSize(trajectory),
      coverage: fullCoverage(trajectory),
      large: isLarge(trajectory),
      held: stored.length,
    },
    document: stored,
    weak: truth === null ? null : { truth, issues: weakAnchors(truth, trajectory) },
    searched,
  }
}

const truthOf = ({ ground_truth: given }: Json): GivenGroundTruth | null =>
  isRecord(given) && inputIssues(GivenGroundTruthSchema, given).length === 0 ? (given as GivenGroundTruth) : null
