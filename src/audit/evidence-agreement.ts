import { matchEvidence } from '../domain/evidence/needed-quotes.ts'
import type { EvidenceAgreement } from '../schemas/agreement.ts'
import { pairsOf } from './clashes.ts'
import type { OpinionRow } from './trials.ts'

type Answer = Pick<OpinionRow, 'label' | 'quotes'>
/** The answer of a judge to one question, with those of its samples. */
export type Judged = Answer & { readonly rater: string; readonly votes: readonly Answer[] }

/** Makes a tally of the agreement of judges on labels and quotes. */
export function tallyEvidence() {
  const tally = new Map<string, EvidenceAgreement[number]>()
  const add = (raters: [string, string], one: Answer, other: Answer) => {
    if (one.label === null || other.label === null) return
    const key = JSON.stringify(raters)
    const none = { overlapping: 0, disjoint: 0, unquoted: 0, other_label: 0, unknown: 0 }
    const pair = tally.get(key) ?? { raters, ...none }
    pair[matchEvidence(one, other)]++
    tally.set(key, pair)
  }
  return {
    /** Counts the pairs of answers to one question: of each two judges, and of the samples of each judge. */
    count(judged: readonly Judged[]) {
      for (const [one, other] of pairsOf(judged)) add([one.rater, other.rater], one, other)
      for (const { rater, votes } of judged) for (const [one, other] of pairsOf(votes)) add([rater, rater], one, other)
    },
    list: (): EvidenceAgreement => [...tally.values()],
  }
}
