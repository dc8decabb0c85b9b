export const isBaseUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/** Completes a complaint about a text that is no base URL. The text may hold a password, and is not repeated. */
export const NO_BASE_URL = 'is not a base URL, such as https://models.example/v1'

/** Host and path: the place. What else a URL can hold (a user, a password, a query) may be secret. */
export function shownBaseUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}
