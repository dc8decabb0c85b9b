import { count } from '../../domain/count.ts'
import type { Unread } from '../../schemas/grade.ts'

/** Unread records of several items. */
export interface UnreadTally extends Unread {
  readonly items: number
}

/** The tally of results, beyond the counts of their batch. */
export interface ResultsTally extends UnreadTally {
  /** Dollars of priced grades that were made for this batch. */
  readonly known_usd: number
}

export const NO_RESULTS: ResultsTally = { items: 0, records: 0, actions: 0, known_usd: 0 }

export const addUnread = (tally: ResultsTally, unread: Unread | null): ResultsTally =>
  unread === null || unread.records === 0
    ? tally
    : {
        ...tally,
        items: tally.items + 1,
        records: tally.records + unread.records,
        actions: tally.actions + unread.actions,
      }

/** Renders unread records: `3 unread records, 1 may hold acts`; empty for none. */
export const unreadText = (unread: Unread | null): string =>
  unread === null || unread.records === 0
    ? ''
    : `${count(unread.records, 'unread record')}${unread.actions === 0 ? '' : `, ${unread.actions} may hold acts`}`
