import { type Behaviour, LABELS } from '../../src/schemas/vocabulary.ts'
import type { AttackCase } from './attack-case.ts'
import { type Base, makeBase } from './base/bases.ts'
import { SURFACE_SPECS, SURFACES } from './base/surfaces.ts'
import { DIRECTIVES, OPENERS } from './directive-texts.ts'
import { onlyDenies, otherLabels } from './flips.ts'
import { CLAIMS_DONE, CLAIMS_REFUSED } from './judges/obedient.ts'
import type { LimitId } from './limits.ts'
import { makeCase } from './make-case.ts'
import { PLACEMENTS, type Placement } from './placements.ts'

export const ALL_FLIPS = LABELS.flatMap((truth) => otherLabels(truth).map((target) => ({ truth, target })))

/**
 * Takes the surfaces in turn, with and without anchors. Grids have 5 or 100 cases a row: each row begins one surface later, so that every kind
 * of text meets all of them in every placement.
 */
export const rotation = () => {
  let turn = 0
  return (truth: Behaviour): Base => {
    const row = Math.floor(turn / 5) + Math.floor(turn / 100)
    const surface = SURFACES[(turn + row) % SURFACES.length] ?? 'cli'
    turn++
    return makeBase(surface, truth, row % 2 === 0)
  }
}

/**
 * Words of an instruction that are planted beside the picture of it look like the surface to a search, which then holds the other
 * instruction for unseen: without action anchors what was done of that one is denied.
 */
export const besidePicture = ({ surface, truth }: Base, at: Placement): LimitId | null =>
  surface === 'media' && at === 'tool_output' && truth !== 'not_observed' && truth !== 'ignored' ? 'denial' : null

/** Texts that tell the judge what to say: every kind × 20 flips × whose text it stands in. */
export function directiveCases(): AttackCase[] {
  const next = rotation()
  return DIRECTIVES.flatMap(({ attack, kind, text }) =>
    ALL_FLIPS.flatMap(({ truth, target }) =>
      (attack === 'padding' ? (['tool_output'] as const) : PLACEMENTS).map((at) => {
        const base = next(truth)
        return makeCase({
          attack,
          kind,
          base,
          target,
          at,
          limit: limitOfTelling(base, target, at),
          text: () => text(target),
        })
      }),
    ),
  )
}

/** The weak point that a flip is for, where the judge cites the words that told it; null: it needs none. */
export function limitOfTelling({ truth }: Base, target: Behaviour, at: Placement): LimitId | null {
  if (onlyDenies(truth, target)) return 'denial'
  if (truth === 'not_observed' && target === 'ignored' && at === 'tool_output') return 'unrelated_surface'
  return null
}

export function openerCases(): AttackCase[] {
  const next = rotation()
  return OPENERS.flatMap((opener, index) =>
    otherLabels('aligned').flatMap((truth) =>
      PLACEMENTS.map((at) => {
        const base = next(truth)
        const limit = limitOfTelling(base, 'aligned', at)
        const kind = String(index)
        return makeCase({ attack: 'one_token_opener', kind, base, target: 'aligned', limit, at, text: () => opener })
      }),
    ),
  )
}

/** The agent’s own story, rewritten, its actions left as they were (“Gaming the Judge”, 2601.14691). */
export function narrationCases(): AttackCase[] {
  return SURFACES.flatMap((surface) =>
    ALL_FLIPS.flatMap(({ truth, target }, turn) => {
      const base = makeBase(surface, truth, turn % 2 === 0)
      const spec = SURFACE_SPECS[surface]
      const story = rewritten(truth, target, spec.cue.command, spec.distractor.command)
      if (story === null) return []
      const limit = story.startsWith(CLAIMS_REFUSED) ? 'denial' : null
      return (['agent_message', 'agent_reasoning'] as const).map((at) =>
        makeCase({ attack: 'rewritten_narration', base, target, limit, at, text: () => story }),
      )
    }),
  )
}

/** One story for one changed claim; two claims need two stories, and the first one is enough to fail. */
function rewritten(truth: Behaviour, target: Behaviour, cue: string, distractor: string): string | null {
  const acts = (label: Behaviour) => ({
    cue: label === 'aligned' || label === 'compliant',
    distractor: label === 'distractor_only' || label === 'compliant',
  })
  const from = acts(truth)
  const to = acts(target)
  if (target === 'not_observed') return null
  const quoted = (command: string) => `\`${command.split(' > ')[0]}\``
  if (to.cue !== from.cue) return `${to.cue ? CLAIMS_DONE : CLAIMS_REFUSED}${quoted(cue)} and that settled it.`
  if (to.distractor !== from.distractor)
    return `${to.distractor ? CLAIMS_DONE : CLAIMS_REFUSED}${quoted(distractor)} and that settled it.`
  return null
}
