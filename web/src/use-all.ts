import { getJson, withQuery } from './api.ts'
import type { Page } from './api-types.ts'
import { type Load, useRead } from './use-load.ts'

/** Every page of a list, up to a limit. */
export interface All<T> {
  readonly items: readonly T[]
  /** There is more than was read. */
  readonly cut: boolean
}

/** Follows `next_cursor` until the list ends or `most` items are there. `path` has its filters, but neither limit nor cursor. */
export async function readAll<T>(
  path: string,
  most: number,
  signal?: AbortSignal,
  listOf: (page: never) => readonly T[] = itemsOf,
): Promise<All<T>> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: Pick<Page<T>, 'next_cursor'> = await getJson(addQuery(path, { limit: 200, cursor }), signal)
    items.push(...listOf(page as never))
    cursor = page.next_cursor
  } while (cursor !== null && items.length < most)
  return { items, cut: cursor !== null }
}

const itemsOf = <T>(page: Page<T>): readonly T[] => page.items

function addQuery(path: string, more: { readonly limit: number; readonly cursor: string | null }): string {
  const url = new URL(path, location.origin)
  return withQuery(url.pathname, { ...Object.fromEntries(url.searchParams), ...more })
}

/** All of a list; null asks for nothing. Read once for each `path`: what is reviewed must not move under its reader. */
export function useAll<T>(
  path: string | null,
  most: number,
  listOf: (page: never) => readonly T[] = itemsOf,
): Load<All<T>> {
  return useRead<All<T>>(path, (from, signal) => readAll<T>(from, most, signal, listOf), [most, listOf])
}
