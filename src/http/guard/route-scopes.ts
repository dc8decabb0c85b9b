import type { Scope } from '../../access/access.ts'

/** `open`: every caller; `key`: callers with a good key; `page`: the same, and a browser without a session is led to sign in. */
export type Need = Scope | 'open' | 'key' | 'page'

/** The need of every route. A route without an entry cannot be added. */
export const ROUTE_NEEDS: Readonly<Record<string, Need>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  // The metrics are figures of the whole process.
  'GET /metrics': 'operator',
  'GET /openapi.json': 'open',
  'GET /': 'open',
  'GET /audit': 'open',
  'GET /audit/*': 'page',
  'GET /v1/session': 'key',
  'POST /v1/session': 'open',
  'DELETE /v1/session': 'open',
  'POST /v1/grades': 'grade',
  'GET /v1/grades': 'read',
  'GET /v1/grades/overview': 'read',
  'GET /v1/grades/:id': 'read',
  'GET /v1/grades/:id/attempts': 'read',
  'GET /v1/grades/:id/panel': 'read',
  'GET /v1/grades/:id/ground-truth': 'read',
  'POST /v1/grades/:id/reviews': 'review',
  'GET /v1/reviews': 'read',
  'POST /v1/trajectories': 'grade',
  'GET /v1/trajectories/:id': 'read',
  'GET /v1/trajectories/:id/steps': 'read',
  'POST /v1/batches': 'grade',
  'GET /v1/batches': 'read',
  'GET /v1/batches/:id': 'read',
  'GET /v1/batches/:id/rubrics': 'read',
  'GET /v1/batches/:id/results': 'read',
  'GET /v1/batches/:id/attempts': 'read',
  'GET /v1/batches/:id/events': 'read',
  'POST /v1/batches/:id/cancel': 'grade',
  'POST /v1/batches/:id/resume': 'grade',
  'POST /v1/regrades': 'grade',
  'GET /v1/comparisons': 'read',
  'GET /v1/disagreements': 'read',
  // An agreement is computed over given ratings, or over readable stored ratings.
  'POST /v1/agreement': 'read',
  'GET /v1/reports': 'read',
  'GET /v1/rubrics': 'read',
  'GET /v1/rubrics/:id': 'read',
  'GET /v1/judges': 'read',
}

/** Finds the need of a declared route; undefined for another. The path as it was typed never counts. */
export function findNeed(method: string, route: string): Need | undefined {
  if (route === '/docs' || route.startsWith('/docs/')) return 'open'
  const key = `${method === 'HEAD' ? 'GET' : method} ${route}`
  return Object.hasOwn(ROUTE_NEEDS, key) ? ROUTE_NEEDS[key] : undefined
}
