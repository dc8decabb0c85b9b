import { useEffect, useState } from 'preact/hooks'

/** The address of the page, which is its state: path, query and fragment have every choice. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
  readonly hash: string
  /** Grows when a link names the present address again, after the reader has scrolled away. */
  readonly again: number
}

const listeners = new Set<() => void>()
let again = 0
type How = { readonly replace?: boolean }

export const readPlace = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: location.hash,
  again,
})

/** Makes the address of a page from its parts. */
export const hrefOf = (path: string, query: URLSearchParams, hash = ''): string =>
  `${path}${query.size === 0 ? '' : `?${query}`}${hash}`

/** Goes to an address of the audit without loading the page again. */
export function navigate(href: string, { replace = false }: How = {}): void {
  const same = href === location.pathname + location.search + location.hash
  if (same) again++
  if (same || replace) history.replaceState(history.state, '', href)
  else history.pushState({ inside: true }, '', href)
  for (const listener of [...listeners]) listener()
}

/** Sets parts of the query and removes empty parts. Each choice is a step of the history unless `replace` is set. */
export function setQuery(change: Readonly<Record<string, string | null>>, how: How = {}): void {
  const { path, query, hash } = readPlace()
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
  }
  navigate(hrefOf(path, query, hash), how)
}

export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace)
  useEffect(() => {
    const update = () => setPlace(readPlace())
    listeners.add(update)
    window.addEventListener('popstate', update)
    return () => {
      listeners.delete(update)
      window.removeEventListener('popstate', update)
    }
  }, [])
  return place
}

/** Lets plain `<a href="/audit/…">` and `<a href="#…">` stay inside of the page. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.dataset['native'] !== undefined)
      return
    const url = new URL(link.href, location.href)
    if (url.origin !== location.origin || !url.pathname.startsWith('/audit/')) return
    event.preventDefault()
    const leaves = url.pathname !== location.pathname
    navigate(url.pathname + url.search + url.hash)
    if (leaves) scrollTo(0, 0)
  })
}
