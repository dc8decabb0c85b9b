import { type Answer, ask, type Given, type Query } from './api.ts'
import { type Load, useRead } from './use-load.ts'

type ListName = 'listGrades' | 'listReviews' | 'listDisagreements' | 'compareBatches'
type Entry<Page> = Page extends { flips: (infer T)[] } ? T : Page extends { items: (infer T)[] } ? T : never

/** Every page of a list, up to a limit. */
export interface All<T> {
  readonly items: readonly T[]
  /** Whether the list is longer than the limit. */
  readonly cut: boolean
}

/** Follows `next_cursor` until the list ends or `most` items are read. */
export async function readAll<N extends ListName>(
  name: N,
  query: Query<N>,
  most: number,
  signal?: AbortSignal,
): Promise<All<Entry<Answer<N>>>> {
  const items: Entry<Answer<N>>[] = []
  let cursor: string | null = null
  do {
    const given = { query: { ...query, limit: 200, ...(cursor !== null && { cursor }) } } as Given<ListName>
    const page: Answer<ListName> = await ask<ListName>(name, given, signal)
    items.push(...(('flips' in page ? page.flips : page.items) as Entry<Answer<N>>[]))
    cursor = page.next_cursor
  } while (cursor !== null && items.length < most)
  return { items, cut: cursor !== null }
}

/** Loads all of a list; null asks for nothing. Each query is read once: reviewed items must not move under their reader. */
export const useAll = <N extends ListName>(
  name: N,
  query: Query<N> | null,
  most: number,
): Load<All<Entry<Answer<N>>>> =>
  useRead(query === null ? null : JSON.stringify([name, query, most]), (signal) =>
    readAll(name, query as Query<N>, most, signal),
  )
