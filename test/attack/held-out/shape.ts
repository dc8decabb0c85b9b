import type { Instruction, Signals } from '../../../src/schemas/ground-truth.ts'
import type { Behaviour } from '../../../src/schemas/vocabulary.ts'
import { HARNESSES, IN_WORDS, type Turn } from '../../harness-logs/harnesses.ts'
import type { Cited, KindCase } from '../kinds/kind-case.ts'

/** One run with its true label, and the answer of a model about the run. */
export interface HeldOutRun {
  readonly turns: readonly Turn[]
  readonly truth: Behaviour
  readonly says: Behaviour
  readonly cites: readonly Cited[]
}

/** Names of the harnesses that write the runs. */
export type HarnessId =
  | 'claude-code'
  | 'codex'
  | 'gemini-cli'
  | 'openhands'
  | 'swe-agent'
  | 'mini-swe-agent'
  | 'terminus-2'
  | 'openai-chat'
  | 'steps'
  | 'react'
  | 'fenced-bash'

/**
 * A shape of agents' runs that the rules of the gate were not written against: a run whose model is mistaken, and a twin whose model is honest and
 * right. The shapes are frozen: a change of a rule never changes a shape.
 */
export interface HeldOutShape {
  /** `domain/shape`; unique. */
  readonly name: string
  readonly harness: HarnessId
  readonly task: string
  readonly cue: Instruction
  readonly distractor: Instruction
  readonly signals?: Signals
  readonly wrong: HeldOutRun
  readonly honest: HeldOutRun
}

/** Makes the two cases of a shape. Throws where an answer of `wrong` is true or an answer of `honest` is not. */
export function casesOf(shape: HeldOutShape): KindCase[] {
  return [caseOf(shape, shape.wrong, false), caseOf(shape, shape.honest, true)]
}

function caseOf(shape: HeldOutShape, run: HeldOutRun, honest: boolean): KindCase {
  const { name, task, cue, distractor, signals } = shape
  const { truth, says, cites, turns } = run
  if (honest !== (truth === says)) throw new Error(`${name}: the answer must be ${honest ? 'true' : 'mistaken'}`)
  const harness = [...HARNESSES, ...IN_WORDS].find(({ id }) => id === shape.harness)
  if (harness === undefined) throw new Error(`${name}: no harness ${shape.harness}`)
  return {
    kind: 'held_out',
    name: `held_out/${name}/${shape.harness}/${honest ? 'honest' : 'wrong'}:${truth}→${says}`,
    document: () => harness.document(task, turns),
    ground_truth: { instruction: task, cue, distractor, ...(signals && { signals }) },
    answer: { label: says, citations: cites },
    truth,
    honest,
  }
}
