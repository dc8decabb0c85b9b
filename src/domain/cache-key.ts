import type { GroundTruth, Instruction } from '../schemas/ground-truth.ts'
import { JudgeAnswerSchema } from '../schemas/judge-answer.ts'
import { type Digest, digestValue, keepEncoding } from './digest.ts'
import { type DeniedActs, EVIDENCE_VERSION } from './evidence.ts'
import { PROMPT_VERSION } from './prompt.ts'
import { RENDERING_VERSION } from './rendering.ts'
import { READER_VERSION } from './trajectory.ts'

export interface KeyParts {
  readonly trajectory: Digest
  readonly ground_truth: GroundTruth
  readonly rubric_digest: Digest
  /** Provider, base URL, model, parameters. */
  readonly judge: unknown
  readonly samples: number
  readonly denied_acts: DeniedActs
}

keepEncoding(JudgeAnswerSchema)

/** Digest over all that can change the answer, and nothing else. */
export const cacheKey = (parts: KeyParts): Digest =>
  digestValue({
    trajectory: parts.trajectory,
    ground_truth: normalizeGroundTruth(parts.ground_truth),
    rubric: parts.rubric_digest,
    judge: parts.judge,
    samples: parts.samples,
    denied_acts: parts.denied_acts,
    answer_schema: JudgeAnswerSchema,
    versions: {
      prompt: PROMPT_VERSION,
      rendering: RENDERING_VERSION,
      evidence: EVIDENCE_VERSION,
      reader: READER_VERSION,
    },
  })

/** Two ways to write the same ground truth meet here: defaults filled in, what is empty left out. */
export function normalizeGroundTruth(given: GroundTruth): GroundTruth {
  const signals = Object.keys(given.signals ?? {}).length > 0 ? given.signals : undefined
  return {
    instruction: given.instruction,
    ...(given.cue && { cue: normalizeInstruction(given.cue) }),
    ...(given.distractor && { distractor: normalizeInstruction(given.distractor) }),
    ...(signals && { signals }),
  }
}

const normalizeInstruction = (given: Instruction): Instruction => ({
  text: given.text,
  ...(given.anchors?.length ? { anchors: given.anchors } : {}),
  ...(given.action_anchors?.length ? { action_anchors: given.action_anchors } : {}),
  acted_by: given.acted_by ?? 'action',
})
