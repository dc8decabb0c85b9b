import type { CheckedCitation } from '../../schemas/grade.ts'
import type { Rendering } from '../trajectory/rendering.ts'
import { CITATION_MEANING, holds } from './evidence-citation.ts'
import type { UnmetClaim } from './evidence-question.ts'

/** Writes the complaint that goes back to the judge: the faults of its answer, and the real text of the steps that it cited (design rule 6). */
export function renderComplaint(
  unmet: readonly UnmetClaim[],
  citations: readonly CheckedCitation[],
  rendering: Rendering,
): string {
  const failing = citations.filter((citation) => !holds(citation.status))
  const lines = failing.map((one, index) => {
    const where = one.found_in_step === undefined ? '' : `; the quote stands in step ${one.found_in_step}`
    return `${index + 1}. ${one.supports}, step ${one.step_id}: ${one.status} (${CITATION_MEANING[one.status]})${where}`
  })
  return [
    'Your answer was checked against the trajectory and cannot be used as it stands.',
    ...(lines.length > 0 ? ['Citations that do not hold:', ...lines] : []),
    'Claims that are not met:',
    ...unmet.map(({ claim, reason }) => `- ${claim}: ${reason}`),
    ...citedSteps(failing, unmet, rendering),
    'Answer again with the whole JSON object. Quote verbatim from one part of the cited step, or withdraw the claim.',
  ].join('\n')
}

/** Steps that a complaint shows again, and characters of each of their parts. */
export const STEPS_SHOWN_AGAIN = 3
export const CHARS_SHOWN_AGAIN = 3000

/** The real text of at most three cited steps, cut; framed like the trajectory, so it cannot pass for our words. */
function citedSteps(failing: readonly CheckedCitation[], unmet: readonly UnmetClaim[], rendering: Rendering): string[] {
  const wanted = new Set(failing.map((one) => one.step_id))
  for (const one of unmet) if (one.step_id !== null) wanted.add(one.step_id)
  const out: string[] = []
  for (const id of [...wanted].slice(0, STEPS_SHOWN_AGAIN)) {
    const index = rendering.trajectory.steps.findIndex((step) => step.id === id)
    if (index === -1) continue
    out.push(`=== STEP ${id} · ${rendering.nonce} · shown again ===`)
    rendering.trajectory.steps[index]?.parts.forEach((part, number) => {
      const text = rendering.view({ step: index, part: number }).text
      out.push(
        `--- ${part.actor} · ${rendering.nonce} ---`,
        text.length > CHARS_SHOWN_AGAIN ? `${text.slice(0, CHARS_SHOWN_AGAIN)}⟦cut · ${rendering.nonce}⟧` : text,
      )
    })
  }
  return out
}
