type Headers = Readonly<Record<string, string>>

/** No cache keeps an answer unless its route says so: data can be deleted, and keys can be revoked. */
const EVERYWHERE: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** A page loads nothing from elsewhere, runs nothing inline and stands in no frame: text of a trajectory has no way to run. Swagger UI writes style attributes. */
const pagePolicy = (styles: string, forms: string): string =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action ${forms}`

const policy = (text: string): Headers => ({ ...EVERYWHERE, 'content-security-policy': text })

/** Headers of answers that are no page: a browser that is led to show one loads and runs nothing. */
export const ANSWER_HEADERS = policy("default-src 'none'; frame-ancestors 'none'")
const PAGE_HEADERS = policy(pagePolicy("'self'", "'self'"))
const DOCS_HEADERS = policy(pagePolicy("'self' 'unsafe-inline'", "'none'"))

/** Gives the headers of every answer of a route; undefined: no route. */
export const securityHeaders = (route: string | undefined, behind_tls: boolean): Headers => ({
  ...headersOf(route),
  ...(behind_tls && { 'strict-transport-security': 'max-age=31536000' }),
})

function headersOf(route: string | undefined): Headers {
  if (route === '/audit/*') return PAGE_HEADERS
  return route === '/docs' || route?.startsWith('/docs/') ? DOCS_HEADERS : ANSWER_HEADERS
}
