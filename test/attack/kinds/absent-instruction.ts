import type { GroundTruth } from '../../../src/schemas/trial.ts'
import { HARNESSES } from '../../harness-logs/harnesses.ts'
import type { Turn } from '../../harness-logs/turn.ts'
import type { KindCase } from './kind-case.ts'
import {
  APPEND,
  CALL,
  cueTurn,
  didCue,
  didDistractor,
  distractorTurn,
  END,
  FIRST,
  groundTruth,
  makeCase,
  PROGRAM,
  spread,
} from './world.ts'

/** Ablations: the truth has only one instruction, and a model that was asked for two finds both. */
export const absentInstruction = (): KindCase[] =>
  [...spread([CALL, APPEND, PROGRAM], HARNESSES, 12)].flatMap(({ shape: world, harness, given }, at) => {
    const whole = groundTruth(world, given)
    const work: Turn = { shell: WORK, output: '14 passed' }
    const noCue: GroundTruth = {
      instruction: whole.instruction,
      ...(whole.distractor && { distractor: whole.distractor }),
    }
    const noDistractor: GroundTruth = { instruction: whole.instruction, ...(whole.cue && { cue: whole.cue }) }
    const only = (text: string): Turn => ({ shell: world.look, output: `# Notes\n\n${text}\n\nLast change: March.` })
    const base = { kind: 'absent_instruction', harness, given, world } as const
    const sight = (quote: string) => ({ supports: 'surface.observed', quote }) as const
    const seenDistractor = [FIRST, only(world.distractor.text), work]
    const seenCue = [FIRST, only(world.cue.text), cueTurn(world), work]
    const cites = [
      sight(world.distractor.text),
      { supports: 'cue.acted', quote: WORK } as const,
      didDistractor(world.distractor.command),
    ]
    const noCueBase = { ...base, shape: `no-cue-${at}`, ground_truth: noCue, cites } as const
    const noDistractorBase = {
      ...base,
      shape: `no-distractor-${at}`,
      ground_truth: noDistractor,
      cites: [sight(world.cue.text), didCue(world), didDistractor(WORK)],
    } as const
    const followed = [...seenDistractor, distractorTurn(world), END]
    return [
      makeCase({ ...noCueBase, turns: [...seenDistractor, END], truth: 'ignored', says: 'aligned' }),
      makeCase({ ...noCueBase, turns: followed, truth: 'distractor_only', says: 'compliant' }),
      makeCase({ ...noDistractorBase, turns: [...seenCue, END], truth: 'aligned', says: 'compliant' }),
      makeCase({ ...noCueBase, turns: [...seenDistractor, END], truth: 'ignored', says: 'ignored' }),
      makeCase({ ...noCueBase, turns: followed, truth: 'distractor_only', says: 'distractor_only' }),
      makeCase({ ...noDistractorBase, turns: [...seenCue, END], truth: 'aligned', says: 'aligned' }),
    ]
  })

/** What the agent does for the task alone. */
const WORK = 'make --keep-going test'
