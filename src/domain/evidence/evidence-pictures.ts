import type { Place } from '../quotes/locate.ts'
import { type Claims, claimedValue } from '../rubric/claims.ts'
import { sightClaim } from '../rubric/rubric.ts'
import type { Rendering } from '../trajectory/rendering.ts'
import { earlier, isBefore, type Position } from '../trajectory/trajectory.ts'
import { type Checked, type EvidenceQuestion, isProof, measuredOf } from './evidence-question.ts'
import { isOutputMedia, type Observations } from './observations.ts'

/**
 * Proof by pictures. A picture that the judge was shown is evidence of a sight, by its mark; no search can confirm the sight, so the
 * confidence is `low` unless the harness measured the same. Other pictures are as unreadable for the judge as for the search.
 */

/** `[image 3 · image/png · <nonce>]`, whole or cut short at a dot, with or without its brackets. */
const MARK = /^[\s`"'[]*image ([1-9]\d?)(?: · image\/[a-z]{3,4}(?: · ([0-9a-f]{16}))?)?[\s`"'\]]*$/

/** Finds the picture of a step that a quote names by its mark; null: the quote names no picture of the step. */
export function findCitedPicture(
  { trajectory, pictures, nonce }: Rendering,
  step: number,
  quote: string,
): Place | null {
  const [, number, mark] = quote.length > 100 ? [] : (MARK.exec(quote) ?? [])
  if (number === undefined || (mark !== undefined && mark !== nonce)) return null
  const parts = trajectory.steps[step]?.parts ?? []
  const showing = [...parts.keys()].filter((index) => {
    const part = parts[index]
    return part !== undefined && pictures.get(part)?.number === Number(number)
  })
  const [part] = showing
  if (part === undefined) return null
  const match = mark === undefined ? 'normalized' : 'verified'
  return {
    position: { step, part },
    match,
    start: 0,
    end: parts[part]?.text.length ?? 0,
    occurrences: showing.length,
    normalization: mark === undefined ? (['ellipsis'] as const) : null,
  }
}

/** The first step that shows the picture that a quote names; null: it names none. */
export function stepOfPicture(rendering: Rendering, quote: string): number | null {
  if (rendering.pictures.size === 0) return null
  const step = rendering.trajectory.steps.findIndex((_, index) => findCitedPicture(rendering, index, quote) !== null)
  return step === -1 ? null : step
}

/** A picture that was shown proves by itself; in a step that holds one that was not, it cannot be told what proves. */
export function isPictured({ trajectory, pictures }: Rendering, at: Position): boolean {
  const parts = trajectory.steps[at.step]?.parts ?? []
  const cited = parts[at.part]
  if (cited !== undefined && pictures.has(cited)) return true
  return parts.some((part) => isOutputMedia(part) && !pictures.has(part))
}

/** The earliest picture whose citation proves the sight. */
export const firstCitedPicture = ({ trajectory, pictures }: Rendering, surface: readonly (Checked | null)[]) =>
  surface.reduce<Position | null>((first, one) => {
    const position = isProof(one?.proved) ? (one?.position ?? null) : null
    const part = position === null ? undefined : trajectory.steps[position.step]?.parts[position.part]
    return part === undefined || !pictures.has(part) ? first : earlier(first, position)
  }, null)

/**
 * Whether the claims hold only by what the judge says it saw, or did not see, in pictures: a measurement that agrees settles that they
 * showed the instruction, but not when, where a search finds it later.
 */
export function restsOnPictures(
  claims: Claims,
  question: EvidenceQuestion,
  seen: Observations,
  cited: Position | null,
): boolean {
  const claim = sightClaim(question.rubric)
  if (claim === null) return false
  const observed = claimedValue(claims, claim)
  const measured = observed !== null && measuredOf(claim, question) === observed
  if (observed) {
    if (cited === null) return false
    return seen.surface === null ? !measured : isBefore(cited, seen.surface)
  }
  return !measured && [...question.rendering.pictures.keys()].some(isOutputMedia)
}
