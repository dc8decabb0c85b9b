import { count } from '../../domain/count.ts'
import type { Batch } from '../../schemas/batch.ts'
import { dollars } from '../results/terminal-text.ts'

type Costs = Pick<Batch, 'cost_usd' | 'uncertain_usd'>

/** What a batch cost so far, with what is not sure: calls that broke off may have been paid for. */
export const costText = ({ cost_usd, uncertain_usd }: Costs): string => {
  const known = cost_usd === null ? 'cost unknown (no price)' : `cost ${dollars(cost_usd)}`
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
