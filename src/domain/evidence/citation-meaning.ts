import type { CitationStatus } from '../../schemas/vocabulary.ts'

/** What the status of a citation says, for the judge and for people. */
export const CITATION_MEANING: Readonly<Record<CitationStatus, string>> = {
  verified: 'holds',
  normalized: 'holds',
  wrong_step: 'the quote is not in the cited step',
  not_found: 'the quote stands nowhere in the trajectory',
  too_short: 'under 12 visible characters and not a whole line',
  wrong_actor: 'the text was not written by an actor that can support this claim',
  out_of_order: 'it happened before the instruction was first seen',
  step_not_found: 'there is no such step',
}
