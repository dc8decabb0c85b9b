import { type Act, type ActRole, NOT_RUN } from '../acts/act.ts'
import { type Acts, actsOf } from '../acts/acts.ts'
import type { Place } from '../quotes/locate.ts'
import type { Claims } from '../rubric/claims.ts'
import { type ClaimValue, instructionDone, type ProofRule, type Rubric } from '../rubric/rubric.ts'
import { createShows, type Shown } from '../sights/sights.ts'
import { isBefore, type Part, type Position, type Step, type Trajectory } from '../trajectory/trajectory.ts'
import { actStrings, type InstructionAnchors, wholeActs } from './anchors.ts'
import { isPictured } from './evidence-pictures.ts'
import type { Cited, EvidenceQuestion, Proved } from './evidence-question.ts'
import { firstDoubtful, type Observations, partAt } from './observations.ts'

/** Whether what stands at a place can prove a claim, as far as a search can tell. */
export type Proof = (cited: Cited, place: Place) => Proved

export function createProof(claims: Claims, question: EvidenceQuestion, seen: Observations): Proof {
  const { trajectory } = question.rendering
  const acts = actsOf(trajectory, question.ground_truth)
  const parts = new Map<Part | null, Proved>()
  const shows = createShows(question.anchors)
  return ({ claim, rule, isSight }, place) => {
    if (isSight) {
      const part = partAt(trajectory, place.position)
      const proved = parts.get(part) ?? proveSurface(question, seen, place.position, part, shows)
      parts.set(part, proved)
      return proved
    }
    const named = proveNamed(trajectory, claims, rule, place)
    if (named !== 'sure') return named
    const done = instructionDone(claim)
    // What is said of an instruction that the trial does not have is refused whatever is cited.
    const isAbsent = claim.only_if_given !== null && question.ground_truth[claim.only_if_given] === undefined
    return done === null || isAbsent ? 'sure' : proveAct(question, acts, question.anchors[done] ?? null, place)
  }
}

/** A quote in the step that a claim names, or of the text that one names. */
function proveNamed({ steps }: Trajectory, claims: Claims, { in_step, holds }: ProofRule, place: Place): Proved {
  const step = steps[place.position.step]
  const named = in_step === null ? null : (claims.values[in_step] ?? null)
  if (in_step !== null && named !== step?.id) {
    const other = named === null ? 'none' : `step ${named}`
    return { not: `the quote stands in step ${step?.id}, and ${in_step} names ${other}` }
  }
  return holds === null ? 'sure' : proveHeld(step, place, claims.values[holds] ?? null)
}

function proveAct(question: EvidenceQuestion, acts: Acts, anchors: InstructionAnchors | null, place: Place): Proved {
  const { position, start, end } = place
  const use = anchors === null ? 'absent' : acts.useOf(position, actStrings(anchors))
  if (anchors !== null && use === 'done') return acts.useOf(position, wholeActs(anchors)) === 'done' ? 'sure' : 'unsure'
  if (use === 'unsure') return 'unsure'
  const step = question.rendering.trajectory.steps[position.step]?.id
  if (use === 'told' || acts.useAt(position, start, end) === 'told')
    return { not: whyTold(partAt(question.rendering.trajectory, position)?.act ?? null, step) }
  return 'unsure'
}

/** Whether a quote holds a text, in something that was carried out or came back. */
function proveHeld(step: Step | undefined, { position, start, end }: Place, held: ClaimValue): Proved {
  const part = step?.parts[position.part]
  if (typeof held !== 'string' || part === undefined || !part.text.slice(start, end).includes(held))
    return { not: `the quote of step ${step?.id} does not hold ${JSON.stringify(held)}` }
  if (part.act !== null && (NOT_RUN.has(part.act.call.outcome) || SAID.has(part.act.role)))
    return { not: whyTold(part.act, step?.id) }
  return 'sure'
}

/** Arguments that say something and do nothing. */
const SAID: ReadonlySet<ActRole> = new Set(['describes', 'thinks', 'delegates'])

/** Why it proves nothing, as far as the act is known. */
function whyTold(act: Act | null, step: number | undefined): string {
  if (act !== null && NOT_RUN.has(act.call.outcome)) return `the call of step ${step} was turned down before it ran`
  const why = act === null ? undefined : TOLD_BY[act.role]
  return `the cited text of step ${step} ${why ?? 'only mentions it, looks at it or searches for it, or never ran'}`
}

const DESCRIBES = 'is an argument that only describes'
const LOOKS = 'only looks'
const TOLD_BY: Readonly<Partial<Record<ActRole, string>>> = {
  ...{ describes: DESCRIBES, delegates: DESCRIBES, thinks: DESCRIBES },
  ...{ searches: LOOKS, reads: LOOKS },
}

/** Where a search finds the instructions anywhere, a surface is a part that shows one, or output with a picture: the same for all its places. */
function proveSurface(
  { rendering, rubric }: EvidenceQuestion,
  seen: Observations,
  position: Position,
  part: Part | null,
  shows: (part: Part) => Shown,
): Proved {
  const piece = part === null ? undefined : seen.pieces.get(part)
  if (piece === 'sure' || (part !== null && rendering.pictures.has(part))) return 'sure'
  const shown = part === null ? 'none' : shows(part)
  const isFound = seen.surface !== null || firstDoubtful(seen) !== null
  const mayShow = piece !== undefined || isPictured(rendering, position)
  if (!isFound || (shown === 'none' && mayShow)) return 'unsure'
  const step = rendering.trajectory.steps[position.step]?.id
  if (shown === 'none') return { not: `the cited text of step ${step} shows no string of ${named(rubric)}` }
  if (seen.surface === null || shown === 'doubtful') return 'unsure'
  // What shows it before the first sight is the agent's own text coming back.
  return isBefore(position, seen.surface)
    ? { not: `the cited text of step ${step} is the agent’s own, coming back` }
    : 'sure'
}

/** `the cue or the distractor` */
const named = ({ truth }: Rubric): string => truth.instructions.map((name) => `the ${name}`).join(' or ')
