import type { Clash } from '../../domain/disagreement-score.ts'
import type { Rubric } from '../../domain/rubric/rubric.ts'
import { claimWord } from '../../domain/rubric/said-claims.ts'
import type { Signals } from '../../schemas/ground-truth.ts'
import type { ContradictionCode } from '../../schemas/vocabulary.ts'
import type { OpinionRow } from './standing-opinions.ts'

/** A clash with its sentence, which is only written for what is shown. */
export interface FoundClash extends Clash {
  readonly say: () => string
}

/** What a grade records where a claim is not what the signal measured. */
export const SIGNAL_CODES: Readonly<Record<keyof Signals, ContradictionCode>> = {
  appeared: 'observed_against_signal',
  executed: 'distractor_against_signal',
  resolved: 'resolved_against_signal',
}

/**
 * What a judge claims against what the harness measured: as its grade records it, and compared again here, because the grade may
 * have been made before the rule was. An unverified claim is a claim too.
 */
export function againstSignals(opinion: OpinionRow, signals: Signals, rubric: Rubric | null): FoundClash[] {
  const parts: string[] = []
  for (const { id, measured_by } of rubric?.claims ?? []) {
    if (measured_by === null) continue
    const said = opinion.claims?.[id] ?? null
    const measured = signals[measured_by]
    const code = SIGNAL_CODES[measured_by]
    const differ = said !== null && measured !== undefined && said !== measured
    if (differ) parts.push(`claims ${claimWord(id)}=${said} where the harness measured ${measured_by}=${measured}`)
    else if (opinion.contradictions.includes(code)) parts.push(`records ${code}`)
  }
  if (parts.length === 0) return []
  const say = () => `${opinion.judge}@${opinion.rubric} ${parts.join(' and ')}.`
  return [{ distance: parts.length, confidence: opinion.confidence, votes: opinion.vote_share ?? 1, say }]
}
