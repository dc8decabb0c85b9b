import { navigate, readPlace } from '../location.ts'
import type { ReviewItem } from './review-item.ts'

/** The question in the address; else the first that is not done; else the first. */
export function placeOf(items: readonly ReviewItem[], at: string | null): number {
  const named = items.findIndex(({ place }) => place === at)
  if (named !== -1) return named
  return Math.max(
    0,
    items.findIndex(({ done }) => !done),
  )
}

/** Goes to a question; places inside of the one before are forgotten. */
export function goTo(item: ReviewItem | undefined, options: { readonly replace?: boolean } = {}): void {
  if (item === undefined) return
  const { path, query } = readPlace()
  query.set('at', item.place)
  navigate(`${path}?${query}`, options)
}
