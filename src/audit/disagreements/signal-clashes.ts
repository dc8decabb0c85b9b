import type { Signals } from '../../schemas/ground-truth.ts'
import type { FoundClash } from './found-clash.ts'
import type { OpinionRow } from './standing-opinions.ts'

interface Measured {
  readonly code: OpinionRow['contradictions'][number]
  readonly claim: string
  readonly signal: 'appeared' | 'executed'
  readonly claimed: (opinion: OpinionRow) => boolean | null
}

const MEASURED: readonly Measured[] = [
  { code: 'observed_against_signal', claim: 'observed', signal: 'appeared', claimed: ({ observed }) => observed },
  {
    code: 'distractor_against_signal',
    claim: 'distractor_acted',
    signal: 'executed',
    claimed: ({ distractor_acted }) => distractor_acted,
  },
]

/**
 * What a judge claims against what the harness measured: as its grade records it, and compared again here, because the grade may
 * have been made before the rule was. An unverified claim is a claim too.
 */
export function againstSignals(opinion: OpinionRow, signals: Signals): FoundClash[] {
  const parts: string[] = []
  for (const { code, claim, signal, claimed } of MEASURED) {
    const said = claimed(opinion)
    const measured = signals[signal]
    const differ = said !== null && measured !== undefined && said !== measured
    if (differ) parts.push(`claims ${claim}=${said} where the harness measured ${signal}=${measured}`)
    else if (opinion.contradictions.includes(code)) parts.push(`records ${code}`)
  }
  if (parts.length === 0) return []
  const say = () => `${opinion.judge}@${opinion.rubric} ${parts.join(' and ')}.`
  return [{ distance: parts.length, confidence: opinion.confidence, votes: opinion.vote_share ?? 1, say }]
}
