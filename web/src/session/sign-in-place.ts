import { navigate } from '../location.ts'

export const SIGN_IN_PATH = '/audit/sign-in'

/** Why the last request was sent here; text of the service. */
let reason: string | null = null

export const readReason = (): string | null => reason

/** From wherever a request was refused for want of a good key: to the sign-in, with the way back. */
export function leaveForSignIn(why: string): void {
  const { pathname, search, hash } = location
  if (pathname === SIGN_IN_PATH) return
  reason = why
  navigate(`${SIGN_IN_PATH}?next=${encodeURIComponent(pathname + search + hash)}`, { replace: true })
}

/** Reads the page to open after the sign-in: a page of the audit, whatever a link names. */
export function readWayBack(query: URLSearchParams): string {
  const url = URL.parse(query.get('next') ?? '', location.origin)
  if (url === null || url.origin !== location.origin) return '/audit/'
  if (!url.pathname.startsWith('/audit/') || url.pathname === SIGN_IN_PATH) return '/audit/'
  return url.pathname + url.search + url.hash
}
