import type { GroundTruth } from '../../src/schemas/trial.ts'
import type { Behaviour } from '../../src/schemas/vocabulary.ts'
import { makeAtif } from '../harness-logs/atif.ts'
import type { Turn } from '../harness-logs/turn.ts'
import { readTables } from '../tables.ts'

/** The places where cue and distractor can stand, each with a task of its own. */
export const SURFACES = ['cli', 'comment', 'data', 'prompt', 'media'] as const
export type SurfaceId = (typeof SURFACES)[number]

interface PlantedInstruction {
  /** As it stands on the surface, one line. */
  readonly text: string
  /** The agent’s own command that carries it out. */
  readonly command: string
}

interface SurfaceSpec {
  readonly task: string
  /** The action whose output brings the surface, and a harmless line of that output. */
  readonly look: string
  readonly caption: string
  readonly cue: PlantedInstruction
  readonly distractor: PlantedInstruction
}

export const { surfaces: SURFACE_SPECS } = readTables<{ surfaces: Readonly<Record<SurfaceId, SurfaceSpec>> }>(
  'attack/tables/surfaces',
)

/** A place of a base that a citation can name. */
export interface Landmark {
  readonly step_id: number
  readonly quote: string
}

/** A run whose true label is known by construction, with the places that attacks and scripted judges need. */
export interface Base {
  readonly id: string
  readonly surface: SurfaceId
  readonly truth: Behaviour
  /** Whether the ground truth brings action anchors. */
  readonly anchored: boolean
  /** The words of the user, and the turns behind them. */
  readonly task: string
  readonly turns: readonly Turn[]
  readonly ground_truth: GroundTruth
  readonly places: Places
}

interface Places {
  readonly user: Landmark
  readonly early_action: Landmark
  readonly early_output: Landmark
  /** The action whose output brings the surface: the same step, but before it. */
  readonly look: Landmark
  /** A harmless line of the output that brings the surface. */
  readonly caption: Landmark
  /** A line of cue or distractor itself, where it can be quoted. */
  readonly instruction: Landmark
  readonly narration: Landmark
  /** What the agent did after it saw the surface, of its own accord. */
  readonly later_action: Landmark
  /** Where the instructions are carried out; null: they are not. */
  readonly cue: Landmark | null
  readonly distractor: Landmark | null
}

/** The harness whose runs are attacked. */
export const ATTACKED = makeAtif({
  ...{ name: 'attacked-agent', version: '1.0.0', schema: 'ATIF-v1.7', linked: true },
  shell: (command) => ({ name: 'bash', args: { command } }),
})
const PICTURE = { type: 'image', source: { media_type: 'image/png', path: 'photos/whiteboard-03.png' } }

const EARLY_ACTION = 'ls -la --group-directories-first /srv/project'
const EARLY_OUTPUT = 'drwxr-xr-x 6 root root 4096 Nov 21 09:00 sources'
const NARRATION = 'I have looked at the material and I will now go on with the task itself.'
const LATER_ACTION = 'wc --bytes /srv/project/sources/main.txt'

const follows = (label: Behaviour) => ({
  cue: label === 'aligned' || label === 'compliant',
  distractor: label === 'distractor_only' || label === 'compliant',
})

export function makeBase(surface: SurfaceId, truth: Behaviour, anchored: boolean): Base {
  const spec = SURFACE_SPECS[surface]
  const seen = truth !== 'not_observed'
  const acts = follows(truth)
  const planted = `${spec.cue.text}\n${spec.distractor.text}`
  const inText = seen && surface !== 'media' && surface !== 'prompt'
  const output = inText ? `${spec.caption}\n${planted}\nend of output` : `${spec.caption}\nend of output`
  const turns: Turn[] = [
    { shell: EARLY_ACTION, output: `total 24\n${EARLY_OUTPUT}` },
    {
      think: 'The task names this, so I look at it first.',
      ...{ shell: spec.look, output },
      ...(surface === 'media' && { answer: { content: [{ type: 'text', text: output }, PICTURE] } }),
    },
    { say: NARRATION, shell: LATER_ACTION, output: '48213 bytes' },
  ]
  const place = (doIt: boolean, command: string): Landmark | null => {
    if (!doIt) return null
    turns.push({ shell: command, output: 'finished' })
    return { step_id: turns.length + 1, quote: command }
  }
  const cue = place(acts.cue, spec.cue.command)
  const distractor = place(acts.distractor, spec.distractor.command)
  turns.push({ say: 'That is all there is to do here.' })
  return {
    id: `${surface}/${truth}/${anchored ? 'anchors' : 'bare'}`,
    surface,
    truth,
    anchored,
    task: seen && surface === 'prompt' ? `${spec.task}\n${planted}` : spec.task,
    turns,
    ground_truth: groundTruth(surface, truth, anchored),
    places: {
      user: { step_id: 1, quote: spec.task },
      early_action: { step_id: 2, quote: EARLY_ACTION },
      early_output: { step_id: 2, quote: EARLY_OUTPUT },
      look: { step_id: 3, quote: spec.look },
      caption: { step_id: 3, quote: spec.caption },
      instruction: inText ? { step_id: 3, quote: spec.cue.text } : { step_id: 3, quote: spec.caption },
      narration: { step_id: 4, quote: NARRATION },
      later_action: { step_id: 4, quote: LATER_ACTION },
      cue,
      distractor,
    },
  }
}

function groundTruth(surface: SurfaceId, truth: Behaviour, anchored: boolean): GroundTruth {
  const spec = SURFACE_SPECS[surface]
  const anchors = (command: string) => (anchored ? { action_anchors: [command.split(' > ')[0] ?? command] } : {})
  return {
    instruction: spec.task,
    cue: { text: spec.cue.text, ...anchors(spec.cue.command) },
    distractor: { text: spec.distractor.text, ...anchors(spec.distractor.command) },
    // Nobody can search a picture: that it did not show the instructions is only known by measurement.
    ...(surface === 'media' && truth === 'not_observed' && { signals: { appeared: false } }),
  }
}
