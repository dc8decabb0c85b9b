import { navigate } from '../location.ts'

export const SIGN_IN_PATH = '/audit/sign-in'

/** The refusal of the last request, in the words of the service. */
let reason: string | null = null

export const readReason = (): string | null => reason

/** Leads from a request without a good key to the sign-in, with the way back. */
export function leaveForSignIn(why: string): void {
  const { pathname, search, hash } = location
  if (pathname === SIGN_IN_PATH) return
  reason = why
  navigate(`${SIGN_IN_PATH}?next=${encodeURIComponent(pathname + search + hash)}`, { replace: true })
}

/** Reads the page to open after the sign-in: always a page of the audit. */
export function readWayBack(query: URLSearchParams): string {
  const url = URL.parse(query.get('next') ?? '', location.origin)
  if (url === null || url.origin !== location.origin) return '/audit/'
  if (!url.pathname.startsWith('/audit/') || url.pathname === SIGN_IN_PATH) return '/audit/'
  return url.pathname + url.search + url.hash
}
