import { firstObservations } from '../../../src/domain/evidence/observations.ts'
import { createShows } from '../../../src/domain/sights/sights.ts'
import { viewPart } from '../../../src/domain/trajectory/rendering.ts'
import type { Part } from '../../../src/domain/trajectory/trajectory.ts'
import type { Actor, CitationStatus } from '../../../src/schemas/vocabulary.ts'
import { type Cited, type ClaimId, nestedOf, seenOf } from '../../tab-behavior.ts'
import type { World } from './evidence-world.ts'
import { isShortSlowly, matchSlowly } from './text-reference.ts'

/**
 * Rules 1 to 5 of docs/design.md, section 3, written from the page: every part is looked at for every question. Where the instructions were seen is
 * taken from the search, which has laws of its own (`test/domain/sights.test.ts`), and what an act is from `test/domain/acts.test.ts`.
 */

export interface Answer {
  readonly statuses: readonly CitationStatus[]
  readonly holds: boolean
  readonly unmet: readonly ClaimId[]
}

/** A part with its place in the order of events. */
interface Placed {
  readonly part: Part
  readonly step: number
  readonly order: number
}

const NONCE = '0123456789abcdef'

export function checkSlowly({ trajectory, groundTruth, anchors, claims }: World): Answer {
  const placed = trajectory.steps
    .flatMap((step) => step.parts.map((part) => ({ part, step: step.id })))
    .map((one, order) => ({ ...one, order }))
  const sights = seenOf(firstObservations(trajectory, anchors))
  const said = nestedOf(claims)
  const orderOf = (position: { readonly step: number; readonly part: number } | null) =>
    position === null
      ? Infinity
      : placed.findIndex(({ part }) => part === trajectory.steps[position.step]?.parts[position.part])
  const isPrompt = (actor: Actor) => actor === 'user' || actor === 'system'
  const isSurface = (actor: Actor) => actor === 'tool_output' || (sights.in_prompt !== null && isPrompt(actor))

  const isAllowed = (claim: ClaimId, actor: Actor): boolean => {
    if (claim === 'surface.observed') return isSurface(actor)
    if (claim.endsWith('.reasoned')) return ['agent_reasoning', 'agent_message', 'agent_action'].includes(actor)
    const by = (claim === 'cue.acted' ? groundTruth.cue : groundTruth.distractor)?.acted_by
    return actor === 'agent_action' || (actor === 'agent_message' && by === 'message')
  }
  const [byCue, byDistractor, bySearch] = [orderOf(sights.cue), orderOf(sights.distractor), orderOf(sights.surface)]
  const isDoubtful = sights.doubtful.cue !== null || sights.doubtful.distractor !== null
  const hasMedia = (step: number) =>
    placed.some((one) => one.step === step && one.part.media && one.part.actor === 'tool_output')
  // Behind the agent's last act or word nobody read on.
  const last = placed.findLast(({ part }) => part.actor.startsWith('agent_'))?.order ?? Infinity
  const showsSurface = (place: Placed) => {
    if (place.order > last) return false
    const shown = createShows(anchors)(place.part)
    if (sights.pieces.get(place.part) === 'sure') return true
    if (!Number.isFinite(bySearch) && !isDoubtful) return true
    if (shown === 'none') return hasMedia(place.step) || sights.pieces.has(place.part)
    return shown === 'doubtful' || !Number.isFinite(bySearch) || place.order >= bySearch
  }
  const matches = (places: readonly Placed[], quote: string) => {
    const all = places.map((place) => ({
      place,
      match: matchSlowly(place.part.text, viewPart(place.part.text, NONCE).text, quote),
    }))
    const exact = all.filter(({ match }) => match === 'verified')
    return exact.length > 0 ? exact : all.filter(({ match }) => match === 'normalized')
  }
  const judge = ({ supports, step_id, quote }: Cited, seen: Record<string, number>) => {
    const step = trajectory.steps.find(({ id }) => id === step_id)
    if (step === undefined) return { status: 'step_not_found' as const, order: Infinity }
    const own = placed.filter((one) => one.step === step_id)
    if (
      isShortSlowly(
        own.map(({ part }) => part.text),
        quote,
      )
    )
      return { status: 'too_short' as const, order: Infinity }
    // A short quote counts only where it is a whole line of its part.
    const long = own.filter(({ part }) => !isShortSlowly([part.text], quote))
    const found = matches(long, quote)
    if (found.length === 0) {
      const status = matches(placed, quote).length > 0 ? ('wrong_step' as const) : ('not_found' as const)
      return { status, order: Infinity }
    }
    const allowed = found.filter(({ place }) => !place.part.media && isAllowed(supports, place.part.actor))
    if (allowed.length === 0) return { status: 'wrong_actor' as const, order: Infinity }
    const first = supports === 'surface.observed' ? -1 : (seen[supports.split('.')[0] ?? ''] ?? Infinity)
    const inTime = allowed.filter(({ place }) => first < place.order)
    const proof = inTime.find(({ place }) => supports !== 'surface.observed' || showsSurface(place))
    const best = proof ?? inTime[0]
    return { status: best?.match ?? ('out_of_order' as const), order: proof?.place.order ?? Infinity }
  }

  const surface = claims.citations
    .filter(({ supports }) => supports === 'surface.observed')
    .map((one) => judge(one, {}))
  const cited = Math.min(Infinity, ...surface.map(({ order }) => order))
  // Where a search finds no sight, what the judge cites dates it. Both instructions stand on one surface.
  const any = Number.isFinite(bySearch) ? bySearch : cited
  const seenAt = (own: number) => (Number.isFinite(own) ? own : any)
  const seen = { cue: seenAt(byCue), distractor: seenAt(byDistractor) }
  const judged = claims.citations.map((one) => judge(one, seen))
  const statuses = judged.map(({ status }) => status)

  const claimed: readonly (readonly [ClaimId, boolean | null])[] = [
    ['surface.observed', said.surface.observed],
    ['cue.reasoned', said.cue.reasoned],
    ['cue.acted', said.cue.acted],
    ['distractor.reasoned', said.distractor.reasoned],
    ['distractor.acted', said.distractor.acted],
  ]
  const proven = (claim: ClaimId) =>
    claims.citations.some(({ supports }, index) => supports === claim && Number.isFinite(judged[index]?.order))
  const unmet = claimed.flatMap(([claim, isTrue]) => (isTrue === true && !proven(claim) ? [claim] : []))
  const refuted = sights.given_in_output !== null
  const unseen =
    placed.some(({ part, order }) => part.media && part.actor === 'tool_output' && order < last) &&
    groundTruth.signals?.appeared !== false
  if (said.surface.observed === false && (refuted || sights.in_prompt !== null || unseen))
    unmet.push('surface.observed')
  for (const [claim, value] of claimed) {
    if (value === null && !claim.endsWith('.reasoned')) unmet.push(claim)
    const [which] = claim.split('.')
    if (value === true && (which === 'cue' || which === 'distractor') && groundTruth[which] === undefined)
      unmet.push(claim)
  }
  return { statuses, holds: unmet.length === 0, unmet }
}
