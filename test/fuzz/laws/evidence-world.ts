import type { Claims } from '../../../src/domain/rubric/claims.ts'
import { NOTHING_UNREAD, type Part, type Trajectory } from '../../../src/domain/trajectory/trajectory.ts'
import type { GroundTruth, Instruction } from '../../../src/schemas/trial.ts'
import { ACTORS } from '../../../src/schemas/vocabulary.ts'
import { type Cited, CLAIM_IDS, type TabAnchors, valuesOf } from '../../tab-behavior.ts'

/** What an action’s text is as an act is the law of other targets. */
const PLAIN_ACT = {
  role: 'executes',
  language: null,
  target: null,
  call: { tool: 'tool', outcome: 'ran', looks: false },
} as const

/** Any JSON value as a trajectory, its ground truth and a judge's claims: so that changes of JSON are changes of a trial. */
export interface World {
  readonly trajectory: Trajectory
  readonly groundTruth: GroundTruth
  readonly anchors: TabAnchors
  readonly claims: Omit<Claims, 'citations'> & { readonly citations: readonly Cited[] }
}

type Json = Readonly<Record<string, unknown>>
const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const list = (value: unknown, most: number): readonly unknown[] => (Array.isArray(value) ? value.slice(0, most) : [])
const text = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
const whole = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.abs(Math.trunc(value)) : 0
const pick = <T>(from: readonly T[], value: unknown): T => from[whole(value) % from.length] as T

export function worldOf(input: unknown): World {
  const { steps, cue, distractor, given, derived, by_message: byMessage, appeared, citations, claims } = record(input)
  const trajectory = trajectoryOf(steps)
  const flags = whole(claims)
  const flag = (bit: number): boolean => ((flags >> bit) & 1) === 1
  /** Five more bits leave a claim unclear. */
  const said = (bit: number): boolean | null => (flag(bit + 5) ? null : flag(bit))
  /** Two more leave one of the instructions out; both at once leave none out. */
  const absent = (flags >> 10) & 3
  const instruction = (value: unknown, index: number): Instruction => ({
    text: text(value).trim() === '' ? 'instruction' : text(value),
    ...((whole(byMessage) >> index) & 1 ? { acted_by: 'message' as const } : {}),
  })
  const [cueText, distractorText] = [instruction(cue, 0), instruction(distractor, 1)]
  const anchorsOf = ({ text: own, acted_by: by = 'action' }: Instruction, index: number) => ({
    seen_given: [own, ...texts(given, index)],
    seen_derived: texts(derived, index),
    acted_given: [],
    acted_derived: [],
    acted_near: [],
    acted_words: [],
    acted_by: by,
  })
  return {
    trajectory,
    groundTruth: {
      instruction: 'task',
      ...(absent !== 1 && { cue: cueText }),
      ...(absent !== 2 && { distractor: distractorText }),
      ...(typeof appeared === 'boolean' ? { signals: { appeared } } : {}),
    },
    anchors: {
      cue: absent === 1 ? null : anchorsOf(cueText, 0),
      distractor: absent === 2 ? null : anchorsOf(distractorText, 1),
    },
    claims: {
      citations: list(citations, 8).map((one) => citationOf(one, trajectory)),
      notes: '',
      values: valuesOf({
        surface: { observed: said(0), category: 'other' },
        cue: { reasoned: said(1), acted: said(2) },
        distractor: { reasoned: said(3), acted: said(4) },
      }),
      confidence: 'high',
      checked_form: true,
    },
  }
}

/** The anchors of the one instruction or the other, by turns. */
const texts = (value: unknown, index: number): string[] =>
  list(value, 6).flatMap((one, at) => (at % 2 === index && text(one).trim() !== '' ? [text(one)] : []))

function trajectoryOf(steps: unknown): Trajectory {
  const read = list(steps, 12).map((parts, step) => ({
    id: step + 1,
    name: null,
    at: null,
    copied: false,
    parts: list(parts, 6).map((part, index): Part => {
      const [actor, own, media] = list(part, 3)
      const path = `/steps/${step}/parts/${index}`
      const who = pick(ACTORS, actor)
      return {
        actor: who,
        text: text(own).slice(0, 3000),
        path,
        name: '',
        media: media === true,
        act: who === 'agent_action' ? PLAIN_ACT : null,
      }
    }),
  }))
  return {
    id: `sha256:${'a'.repeat(64)}`,
    format: 'steps',
    agent: { name: null, model: null },
    steps: read,
    warnings: [],
    unread: NOTHING_UNREAD,
  }
}

/** `[claim, step, part, start, length, edit, quote]`: a piece of that part, edited; or the quote that is given. */
function citationOf(value: unknown, { steps }: Trajectory): Cited {
  const [claim, step, part, start, length, edit, quote] = list(value, 7)
  const step_id = whole(step) % (steps.length + 2)
  const from = steps[step_id - 1]?.parts ?? []
  const source = from.length === 0 ? '' : pick(from, part).text
  const at = whole(start) % (source.length + 1)
  const cut = source.slice(at, at + (whole(length) % 80))
  const given = typeof quote === 'string' ? quote : edited(cut, whole(edit))
  return { supports: pick(CLAIM_IDS, claim), step_id, quote: given.toWellFormed().slice(0, 1000) }
}

function edited(cut: string, edit: number): string {
  const at = edit % Math.max(1, cut.length)
  const code = cut.charCodeAt(at)
  switch (edit % 7) {
    case 1:
      return cut.replaceAll(' ', ' \n ')
    case 2:
      return `${cut.slice(0, at)}${String.fromCharCode((code || 64) + 1)}${cut.slice(at + 1)}`
    case 3:
      return cut.replaceAll("'", '’').replaceAll('"', '“')
    case 4:
      return `${cut.slice(0, at)}⟨U+${(code || 0).toString(16).toUpperCase().padStart(4, '0')}⟩${cut.slice(at + 1)}`
    case 5:
      return cut.slice(0, at) + cut.slice(at + 1)
    default:
      return cut
  }
}
