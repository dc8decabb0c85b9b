import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { dollars } from '../results/terminal-text.ts'

type Costs = Pick<Batch, 'cost_usd' | 'uncertain_usd'>

/** Without a price of the call’s day or tier, or without the tokens that it took. */
export const COST_UNKNOWN = 'cost unknown (a call has no price, or its reply no usage)'

/**
 * What a batch cost so far, with what is not sure: calls that broke off may have been paid for.
 *
 * @param part dollars that are known of it where the whole is not; 0: none are.
 */
export const costText = ({ cost_usd, uncertain_usd }: Costs, part = 0): string => {
  const atLeast =
    part > 0 ? `cost at least ${dollars(part)} (a call has no price, or its reply no usage)` : COST_UNKNOWN
  const known = cost_usd === null ? atLeast : `cost ${dollars(cost_usd)}`
  return uncertain_usd > 0 ? `${known} (+ up to ${dollars(uncertain_usd)} that may have been paid)` : known
}

/** The same in a column. */
export const costCell = ({ cost_usd, uncertain_usd }: Costs): string => {
  const known = cost_usd === null ? '?' : dollars(cost_usd)
  return uncertain_usd > 0 ? `${known} (+${dollars(uncertain_usd)}?)` : known
}

/** Calls whose end was not seen; nothing where there are none. */
export const unknownCalls = ({ calls }: Pick<Batch, 'calls'>): string =>
  calls.unknown > 0 ? `${count(calls.unknown, 'call')} of unknown end` : ''
