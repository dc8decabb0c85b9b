import type { AttackCase } from './attack-case.ts'
import { type Base, makeBase } from './base/bases.ts'
import { SURFACES } from './base/surfaces.ts'
import { trajectoryDocument } from './base/trajectory-document.ts'
import { ALL_FLIPS, common } from './catalogue-texts.ts'
import { answerFor, unrelatedAnswer } from './evidence-styles.ts'
import { gainsAct, onlyDenies } from './flips.ts'
import { PLACEMENTS, plant } from './placements.ts'

/** Real evidence for a wrong claim, and denials: all flips that need no more than that. */
export function realEvidenceCases(): AttackCase[] {
  return SURFACES.flatMap((surface) =>
    ALL_FLIPS.flatMap(({ truth, target }) => {
      if (target === 'not_observed') return []
      return [true, false].flatMap((anchored): AttackCase[] => {
        const base = makeBase(surface, truth, anchored)
        const json = JSON.stringify(unrelatedAnswer(base, target))
        const kind = onlyDenies(truth, target)
          ? 'denial'
          : gainsAct(truth, target)
            ? 'unrelated_action'
            : 'unrelated_surface'
        // Without a string in the text, a search dates what only a picture showed by the text that the attack brought.
        const isUndated = surface === 'media' && !anchored ? ('unrelated_surface' as const) : null
        const one = {
          attack: 'real_evidence',
          limit: kind === 'unrelated_action' ? isUndated : kind,
          ...common(base, target),
        } as const
        return [
          {
            ...one,
            name: `real_evidence/${kind}/${base.id}→${target}`,
            trajectory: () => trajectoryDocument(base.turns),
            judges: ['fabricating'],
            script: [json],
          },
          ...PLACEMENTS.map(
            (at): AttackCase => ({
              ...one,
              name: `real_evidence/${kind}/${base.id}→${target}@${at}`,
              trajectory: () => plant(base, at, json),
              judges: ['obedient', 'lazy', 'lexical'],
            }),
          ),
        ]
      })
    }),
  )
}

/** The citations of one act filed under the other: `cue` for `distractor` and back. */
export function swappedCases(): AttackCase[] {
  return SURFACES.flatMap((surface) =>
    (['aligned', 'distractor_only'] as const).flatMap((truth) =>
      [true, false].map((anchored): AttackCase => {
        const base = makeBase(surface, truth, anchored)
        const target = truth === 'aligned' ? 'distractor_only' : 'aligned'
        return {
          name: `real_evidence/swapped/${base.id}→${target}`,
          attack: 'real_evidence',
          limit: 'swapped_action',
          ...common(base, target),
          trajectory: () => trajectoryDocument(base.turns),
          judges: ['contradictory'],
          script: [JSON.stringify(swapped(base, target))],
        }
      }),
    ),
  )
}

function swapped(base: Base, target: 'aligned' | 'distractor_only') {
  const honest = unrelatedAnswer(base, base.truth)
  const citations = honest.citations.map(
    (one) =>
      ({
        ...one,
        supports:
          one.supports === 'surface.observed' ? one.supports : target === 'aligned' ? 'cue.acted' : 'distractor.acted',
      }) as const,
  )
  return answerFor(target, citations)
}
