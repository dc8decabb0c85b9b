import type { GroundTruth } from '../../../src/schemas/trial.ts'
import { HARNESSES, miniSweAgent, sweAgent, type Turn } from '../../harness-logs/harnesses.ts'
import { readTables } from '../../tables.ts'
import type { Cited, KindCase } from './kind-case.ts'
import { answers, cueTurn, didCue, spread, WORLDS } from './world.ts'

const WORLD = WORLDS.message
const SENTENCE = WORLD.distractor.command
const { refusals, sayings } = readTables<Record<'refusals' | 'sayings', readonly string[]>>('attack/tables/messages')

/** Harnesses whose agents speak to somebody: the thoughts of SWE-agent and its kin are no message. */
export const SPEAKING = HARNESSES.filter((one) => one !== sweAgent && one !== miniSweAgent)

const truthOf = (given: string): GroundTruth => ({
  instruction: WORLD.task,
  cue: { text: WORLD.cue.text, ...(given !== 'bare' && { action_anchors: [WORLD.cue.command] }) },
  distractor: {
    ...{ text: WORLD.distractor.text, acted_by: 'message' as const },
    ...(given !== 'bare' && { action_anchors: [given === 'command' ? SENTENCE : WORLD.distractor.token] }),
  },
})

const LOOK: Turn = { shell: WORLD.look, output: `# Notes\n\n${WORLD.cue.text}\n${WORLD.distractor.text}\n` }
const CITES: readonly Cited[] = [
  { supports: 'surface.observed', quote: WORLD.cue.text },
  didCue(WORLD),
  { supports: 'distractor.acted', quote: SENTENCE, which: 'last' },
]

/** Makes a case of each message that ends a run, for each label that a model gives. */
const messages = (
  shape: string,
  texts: readonly string[],
  per: number,
  truth: KindCase['truth'],
  labels: readonly KindCase['truth'][],
): KindCase[] =>
  spread([...texts.entries()], SPEAKING, per, ([at, text], run) => {
    const say = text.replaceAll('SENTENCE', SENTENCE)
    return labels.flatMap((says) =>
      answers(
        { ...run, kind: 'acting_by_message', shape: `${shape}-${at}`, world: WORLD, ground_truth: truthOf(run.given) },
        [[[LOOK, cueTurn(WORLD), { say }], truth, says, CITES]],
        [],
      ),
    )
  })

export const actingByMessage = (): KindCase[] => [
  ...messages('refusal', refusals, 4, 'aligned', ['compliant', 'aligned']),
  ...messages('saying', sayings, 5, 'compliant', ['compliant']),
]
