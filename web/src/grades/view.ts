import { withQuery } from '../api.ts'

/** Which list a grade was opened from; its filters and its order go along in the grade’s own address. */
export type ViewName = 'grades' | 'batch'

const NOT_OF_VIEW = ['page', 'view']

/** The list’s own query: what is left of an address in a view. */
export function viewQuery(query: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(query)
  for (const name of NOT_OF_VIEW) own.delete(name)
  return own
}

/** A grade as one of a list: what is before and behind it there can be found again from the address alone. */
export const hrefInView = (view: ViewName, query: URLSearchParams, id: string): string =>
  withQuery(`/audit/grades/${encodeURIComponent(id)}`, { view, ...Object.fromEntries(viewQuery(query)) })

/** The list that was shown last, in its order: whoever comes from it need not load it again. */
let last: { readonly key: string; readonly ids: readonly string[] } | null = null

const keyOf = (view: ViewName, query: URLSearchParams): string => {
  const own = viewQuery(query)
  own.sort()
  return `${view} ${own}`
}

export function rememberView(view: ViewName, query: URLSearchParams, rows: readonly { readonly id: string }[]): void {
  last = { key: keyOf(view, query), ids: rows.map(({ id }) => id) }
}

export const recallView = (view: ViewName, query: URLSearchParams): readonly string[] | null =>
  last !== null && last.key === keyOf(view, query) ? last.ids : null
