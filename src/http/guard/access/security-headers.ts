type Headers = Readonly<Record<string, string>>

/** Nothing is kept by a cache unless its route says so: data can be deleted, and keys can be revoked. */
const EVERYWHERE: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

const LOCKED = "frame-ancestors 'none'; base-uri 'none'"

/** Of answers that are no page: even one that a browser is led to show can load and run nothing. */
export const ANSWER_HEADERS: Headers = {
  ...EVERYWHERE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Nothing from elsewhere, nothing inline, in no frame: what trajectory text could try has no way to run. */
const PAGE_HEADERS: Headers = {
  ...EVERYWHERE,
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ${LOCKED}; form-action 'self'`,
}

/** Swagger UI writes style attributes. */
const DOCS_HEADERS: Headers = {
  ...EVERYWHERE,
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; ${LOCKED}; form-action 'none'`,
}

/** On every answer of a route, whatever it is; undefined: where no route is. */
export const securityHeaders = (route: string | undefined, behind_tls: boolean): Headers => ({
  ...headersOf(route),
  ...(behind_tls && { 'strict-transport-security': 'max-age=31536000' }),
})

function headersOf(route: string | undefined): Headers {
  if (route === '/audit/*') return PAGE_HEADERS
  return route === '/docs' || route?.startsWith('/docs/') ? DOCS_HEADERS : ANSWER_HEADERS
}
