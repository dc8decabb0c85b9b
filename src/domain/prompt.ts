import type { CheckedCitation } from '../schemas/grade.ts'
import type { GroundTruth, Instruction } from '../schemas/ground-truth.ts'
import type { UnmetClaim } from './evidence.ts'
import { holds } from './evidence.ts'
import type { Rendering } from './rendering.ts'
import type { Issue } from './result.ts'
import type { Rubric } from './rubric.ts'
import { viewPart } from './view.ts'

/** Bumped when the same question is worded otherwise outside of the rubric's own text. */
export const PROMPT_VERSION = 1

/** The variables that a rubric's question may use; each has a value for every request. */
export const PROMPT_VARIABLES = [
  'nonce',
  'instruction',
  'cue',
  'distractor',
  'acted_by',
  'signals',
  'steps',
  'claims',
] as const
type Variable = (typeof PROMPT_VARIABLES)[number]

/** The question that follows the trajectory: the rubric's text with the ground truth in it, escaped as the trajectory is. */
export function renderQuestion(rubric: Rubric, groundTruth: GroundTruth, rendering: Rendering, claims: string): string {
  const { nonce, trajectory } = rendering
  const safe = (text: string) => viewPart(text, nonce).text
  const instruction = (given: Instruction | undefined) => (given ? safe(given.text) : '(there is none in this trial)')
  const values: Record<Variable, string> = {
    nonce,
    instruction: safe(groundTruth.instruction),
    cue: instruction(groundTruth.cue),
    distractor: instruction(groundTruth.distractor),
    acted_by: `cue: by ${groundTruth.cue?.acted_by ?? 'action'}; distractor: by ${groundTruth.distractor?.acted_by ?? 'action'}`,
    signals: renderSignals(groundTruth),
    steps: `${trajectory.steps.length}`,
    claims,
  }
  return substitute(rubric.question, values)
}

/** Splits `{{name}}`; the loader has made sure that every name is known. One pass: values are never looked into. */
function substitute(template: string, values: Readonly<Record<string, string>>): string {
  return templatePieces(template)
    .map((piece) => ('text' in piece ? piece.text : (values[piece.variable] ?? '')))
    .join('')
}

export function templatePieces(template: string): ({ text: string } | { variable: string })[] {
  const pieces: ({ text: string } | { variable: string })[] = []
  let at = 0
  for (let open = template.indexOf('{{'); open !== -1; open = template.indexOf('{{', at)) {
    const close = template.indexOf('}}', open)
    if (close === -1) break
    pieces.push({ text: template.slice(at, open) }, { variable: template.slice(open + 2, close).trim() })
    at = close + 2
  }
  pieces.push({ text: template.slice(at) })
  return pieces
}

function renderSignals(groundTruth: GroundTruth): string {
  const { appeared, executed, resolved } = groundTruth.signals ?? {}
  const say = (value: boolean | undefined) => (value === undefined ? 'unknown' : String(value))
  return `appeared=${say(appeared)}, executed=${say(executed)}, resolved=${say(resolved)}`
}

/** What a window is asked: the same schema, evidence only. */
export const WINDOW_NOTE =
  'You are shown one window of a longer trajectory. Answer the same claims for this window alone; they are not the verdict. ' +
  'What matters are the citations: cite every place in this window that bears on any claim.'

/** Said before the collected evidence when one decision is taken over all windows. */
export const DECISION_NOTE =
  'The trajectory was too long for one reading. Every step was read in windows; shown above are the steps that hold evidence, ' +
  'the first and the last ones. Decide once, over all of it.'

/** What goes back to the judge: exactly what failed, and the real text of the steps it cited (design rule 6). */
export function renderComplaint(
  unmet: readonly UnmetClaim[],
  citations: readonly CheckedCitation[],
  rendering: Rendering,
): string {
  const failing = citations.filter((citation) => !holds(citation.status))
  const lines = failing.map((one, index) => {
    const where = one.found_in_step === undefined ? '' : `; the quote stands in step ${one.found_in_step}`
    return `${index + 1}. ${one.supports}, step ${one.step_id}: ${one.status} (${MEANING[one.status]})${where}`
  })
  return [
    'Your answer was checked against the trajectory and cannot be used as it stands.',
    ...(lines.length > 0 ? ['Citations that do not hold:', ...lines] : []),
    'Claims that are not met:',
    ...unmet.map((one) => `- ${one.claim}: ${one.reason}`),
    ...citedSteps(failing, unmet, rendering),
    'Answer again with the whole JSON object. Quote verbatim from one part of the cited step, or withdraw the claim.',
  ].join('\n')
}

const MEANING: Readonly<Record<CheckedCitation['status'], string>> = {
  verified: 'holds',
  normalized: 'holds',
  wrong_step: 'the quote is not in the cited step',
  not_found: 'the quote stands nowhere in the trajectory',
  too_short: 'under 12 visible characters and not a whole line',
  wrong_actor: 'the text was not written by an actor that can support this claim',
  out_of_order: 'it happened before the instruction was first seen',
  step_not_found: 'there is no such step',
}

const SHOWN_AGAIN = 3000

/** The real text of at most three cited steps, cut; framed like the trajectory, so it cannot pass for our words. */
function citedSteps(failing: readonly CheckedCitation[], unmet: readonly UnmetClaim[], rendering: Rendering): string[] {
  const wanted = new Set(failing.map((one) => one.step_id))
  for (const one of unmet) if (one.step_id !== null) wanted.add(one.step_id)
  const out: string[] = []
  for (const id of [...wanted].slice(0, 3)) {
    const index = rendering.trajectory.steps.findIndex((step) => step.id === id)
    if (index === -1) continue
    out.push(`=== STEP ${id} · ${rendering.nonce} · shown again ===`)
    rendering.trajectory.steps[index]?.parts.forEach((part, number) => {
      const text = rendering.view({ step: index, part: number }).text
      out.push(
        `--- ${part.actor} · ${rendering.nonce} ---`,
        text.length > SHOWN_AGAIN ? `${text.slice(0, SHOWN_AGAIN)}⟦cut⟧` : text,
      )
    })
  }
  return out
}

/** What goes back after an answer in the wrong form. Never echoes trajectory text. */
export const renderFormComplaint = (issues: readonly Issue[]): string =>
  [
    'Your answer could not be read:',
    ...issues.slice(0, 10).map((issue) => `- ${issue.path === '' ? 'the answer' : issue.path}: ${issue.message}`),
    'Answer again with the one JSON object of the schema, and nothing around it.',
  ].join('\n')
