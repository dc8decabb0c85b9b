import type { GivenGroundTruth, GivenInstruction, GroundTruth, Instruction } from '../schemas/ground-truth.ts'
import { type Digest, digestValue } from './digest.ts'
import { EVIDENCE_VERSION } from './evidence/evidence.ts'
import type { DeniedActs } from './evidence/evidence-question.ts'
import { PROMPT_VERSION } from './rubric/prompt.ts'
import { RENDERING_VERSION } from './trajectory/rendering.ts'
import { READER_VERSION } from './trajectory/trajectory.ts'

export interface KeyParts {
  readonly trajectory: Digest
  readonly ground_truth: GivenGroundTruth
  /** Holds its prompt and its answer schema. */
  readonly rubric_digest: Digest
  /** Provider, base URL, model, parameters. */
  readonly judge: unknown
  readonly samples: number
  readonly denied_acts: DeniedActs
}

/** Digest over all that can change the answer, and nothing else. */
export const cacheKey = (parts: KeyParts): Digest =>
  digestValue({
    trajectory: parts.trajectory,
    ground_truth: normalizeGroundTruth(parts.ground_truth),
    rubric: parts.rubric_digest,
    judge: parts.judge,
    samples: parts.samples,
    denied_acts: parts.denied_acts,
    versions: {
      prompt: PROMPT_VERSION,
      rendering: RENDERING_VERSION,
      evidence: EVIDENCE_VERSION,
      reader: READER_VERSION,
    },
  })

/**
 * All ways to write the same ground truth meet here: texts made instructions, defaults filled in, what is empty left out. Equal ones are one
 * object as a rule: what is worked out from it, its anchors and how they are searched for, serves all trials of a task.
 */
export function normalizeGroundTruth(given: GivenGroundTruth): GroundTruth {
  const normalized = normalize(given)
  const key = JSON.stringify(normalized)
  const one = known.get(key) ?? normalized
  if (key.length > LONGEST_KNOWN) return one
  known.delete(key)
  known.set(key, one)
  const [oldest] = known.keys()
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
  return one
}

const known = new Map<string, GroundTruth>()
const MOST_KNOWN = 256
const LONGEST_KNOWN = 20_000

function normalize(given: GivenGroundTruth): GroundTruth {
  const signals = Object.keys(given.signals ?? {}).length > 0 ? given.signals : undefined
  return {
    instruction: given.instruction,
    ...(given.cue && { cue: normalizeInstruction(given.cue) }),
    ...(given.distractor && { distractor: normalizeInstruction(given.distractor) }),
    ...(signals && { signals }),
  }
}

function normalizeInstruction(given: GivenInstruction): Instruction {
  if (typeof given === 'string') return { text: given, acted_by: 'action' }
  const { text, anchors, action_anchors, acted_by = 'action' } = given
  return {
    text,
    ...(anchors?.length ? { anchors } : {}),
    ...(action_anchors?.length ? { action_anchors } : {}),
    acted_by,
  }
}
