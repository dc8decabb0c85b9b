import type { Part } from '../../src/domain/trajectory.ts'
import { viewPart } from '../../src/domain/view.ts'
import type { Actor, CitationStatus, ClaimId } from '../../src/schemas/vocabulary.ts'
import type { World } from './evidence-world.ts'
import { isFoundSlowly, isShortSlowly, matchSlowly } from './text-reference.ts'

/** Rules 1 to 5 of docs/design.md, section 3, written from the page: every part is looked at for every question. */

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
  const searchable = placed.filter(({ part }) => !part.media)
  const cue = anchors.cue
  const distractor = anchors.distractor
  const finds = ({ part }: Placed, needles: readonly string[]) =>
    needles.some((needle) => isFoundSlowly(part.text, needle))
  const given = [...(cue?.seen_given ?? []), ...(distractor?.seen_given ?? [])]
  const isPrompt = (actor: Actor) => actor === 'user' || actor === 'system'
  const inPrompt = searchable.some((one) => isPrompt(one.part.actor) && finds(one, given))
  const isSurface = (actor: Actor) => actor === 'tool_output' || (inPrompt && isPrompt(actor))
  const firstOf = (one: typeof cue) =>
    searchable.find(
      (place) =>
        isSurface(place.part.actor) && finds(place, [...(one?.seen_given ?? []), ...(one?.seen_derived ?? [])]),
    )?.order ?? Infinity

  const isAllowed = (claim: ClaimId, actor: Actor): boolean => {
    if (claim === 'surface.observed') return isSurface(actor)
    if (claim.endsWith('.reasoned')) return ['agent_reasoning', 'agent_message', 'agent_action'].includes(actor)
    const by = (claim === 'cue.acted' ? groundTruth.cue : groundTruth.distractor)?.acted_by
    return actor === 'agent_action' || (actor === 'agent_message' && by === 'message')
  }
  const [byCue, byDistractor] = [firstOf(cue), firstOf(distractor)]
  const words = [...given, ...(cue?.seen_derived ?? []), ...(distractor?.seen_derived ?? [])]
  const hasMedia = (step: number) =>
    placed.some((one) => one.step === step && one.part.media && one.part.actor === 'tool_output')
  const showsSurface = (place: Placed) =>
    !Number.isFinite(Math.min(byCue, byDistractor)) || hasMedia(place.step) || finds(place, words)
  const matches = (places: readonly Placed[], quote: string) => {
    const all = places.map((place) => ({
      place,
      match: matchSlowly(place.part.text, viewPart(place.part.text, NONCE).text, quote),
    }))
    const exact = all.filter(({ match }) => match === 'verified')
    return exact.length > 0 ? exact : all.filter(({ match }) => match === 'normalized')
  }
  const judge = ({ supports, step_id, quote }: World['claims']['citations'][number], seen: Record<string, number>) => {
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
    const found = matches(own, quote)
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
  const any = Math.min(cited, byCue, byDistractor)
  // An instruction that no search finds was seen, at the earliest, with the surface that it stands on.
  const seenAt = (own: number) => (Number.isFinite(Math.min(own, cited)) ? Math.min(own, cited) : any)
  const seen = { cue: seenAt(byCue), distractor: seenAt(byDistractor) }
  const judged = claims.citations.map((one) => judge(one, seen))
  const statuses = judged.map(({ status }) => status)

  const claimed: readonly (readonly [ClaimId, boolean])[] = [
    ['surface.observed', claims.surface.observed],
    ['cue.reasoned', claims.cue.reasoned],
    ['cue.acted', claims.cue.acted],
    ['distractor.reasoned', claims.distractor.reasoned],
    ['distractor.acted', claims.distractor.acted],
  ]
  const proven = (claim: ClaimId) =>
    claims.citations.some(({ supports }, index) => supports === claim && Number.isFinite(judged[index]?.order))
  const unmet = claimed.flatMap(([claim, isTrue]) => (isTrue && !proven(claim) ? [claim] : []))
  const refuted = searchable.some((one) => one.part.actor === 'tool_output' && finds(one, given))
  const unseen =
    placed.some(({ part }) => part.media && part.actor === 'tool_output') && groundTruth.signals?.appeared !== false
  if (!claims.surface.observed && (refuted || inPrompt || unseen)) unmet.push('surface.observed')
  return { statuses, holds: unmet.length === 0, unmet }
}
