import type { GivenInstruction, GivenTruth, GroundTruth, Instruction } from '../schemas/trial.ts'
import { isInstruction } from '../schemas/trial.ts'
import { type Digest, digestValue } from './digest.ts'
import type { DeniedActs } from './evidence/observations.ts'
import { fewAnswers } from './result.ts'
import { PROMPT_VERSION } from './rubric/prompt.ts'
import { RENDERING_VERSION } from './trajectory/rendering.ts'
import { READER_VERSION } from './trajectory/trajectory.ts'

/** Bumped when the same answer over the same rendering could be checked otherwise. */
export const EVIDENCE_VERSION = 20

export interface KeyParts {
  readonly trajectory: Digest
  readonly ground_truth: GroundTruth
  /** Holds its prompt and its answer schema. */
  readonly rubric_digest: Digest
  /** Provider, base URL, model, parameters. */
  readonly judge: unknown
  readonly samples: number
  readonly denied_acts: DeniedActs
}

/** Digest over all that can change the answer, and nothing else. */
export function cacheKey({ trajectory, ground_truth, rubric_digest: rubric, judge, samples, denied_acts }: KeyParts) {
  const [prompt, rendering, evidence, reader] = [PROMPT_VERSION, RENDERING_VERSION, EVIDENCE_VERSION, READER_VERSION]
  const versions = { prompt, rendering, evidence, reader }
  return digestValue({ trajectory, ground_truth, rubric, judge, samples, denied_acts, versions })
}

/**
 * All ways to write the same ground truth meet here: texts made instructions, defaults filled in, what is empty left out; `instructions`: those of
 * its rubric. Equal ones are one object as a rule: what is worked out from it, its anchors and how they are searched for, serves all trials of a task.
 */
export function normalizeGroundTruth(given: GivenTruth, instructions: readonly string[] = COMMON): GroundTruth {
  const normalized = normalize(given, instructions)
  const key = JSON.stringify(normalized)
  const one = known.get(key) ?? normalized
  if (one === normalized && key.length <= LONGEST_KNOWN) known.set(key, one)
  return one
}

const MOST_KNOWN = 256
const LONGEST_KNOWN = 20_000
const known = fewAnswers<GroundTruth>(MOST_KNOWN)

/** The instructions of `tab-behavior`, where the rubric is not known: only a text alone needs its name to be taken for one. */
const COMMON = ['cue', 'distractor']

/** Puts the question first, then the instructions in their order. No judge is asked for the places of markers (`expected_in`). */
function normalize(given: GivenTruth, instructions: readonly string[]): GroundTruth {
  const { instruction, expected_in: _, ...others } = given
  const names = [...new Set([...instructions, ...Object.keys(others)])].filter((name) => others[name] !== undefined)
  const members = names.flatMap((name): [string, unknown][] => {
    const value = others[name]
    if (instructions.includes(name) || isInstruction(value))
      return [[name, normalizeInstruction(value as GivenInstruction)]]
    return name === 'signals' && Object.keys(value as object).length === 0 ? [] : [[name, value]]
  })
  return { ...(instruction === undefined ? {} : { instruction }), ...Object.fromEntries(members) }
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
