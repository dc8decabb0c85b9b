import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { dollars } from '../results/terminal-text.ts'

type Costs = Pick<Batch, 'cost_usd' | 'uncertain_usd'>

export const COST_UNKNOWN = 'cost unknown (a call has no price, or its reply no usage)'

/**
 * Renders the cost of a batch, with the bound of calls that broke off and may have been paid. `part`: the known dollars of an unknown
 * whole, or 0.
 */
export const costText = ({ cost_usd, uncertain_usd }: Costs, part = 0): string => {
  const atLeast =
    part > 0 ? `cost at least ${dollars(part)} (a call has no price, or its reply no usage)` : COST_UNKNOWN
  const known = cost_usd === null ? atLeast : `cost ${dollars(cost_usd)}`
  return uncertain_usd > 0 ? `${known} (+ up to ${dollars(uncertain_usd)} that may have been paid)` : known
}

/** Renders the cost for a column. */
export const costCell = ({ cost_usd, uncertain_usd }: Costs): string => {
  const known = cost_usd === null ? '?' : dollars(cost_usd)
  return uncertain_usd > 0 ? `${known} (+${dollars(uncertain_usd)}?)` : known
}

/** Renders the count of calls of unknown end; empty for none. */
export const unknownCalls = ({ calls }: Pick<Batch, 'calls'>): string =>
  calls.unknown > 0 ? `${count(calls.unknown, 'call')} of unknown end` : ''
