import type { Scope } from '../../access/access.ts'

/** `open`: to all; `key`: to callers with a good key; `page`: the same, and a browser without one is led to sign in. */
export type Need = Scope | 'open' | 'key' | 'page'

/** What every route needs, by method and route. A route that is not here cannot be built. */
export const ROUTE_NEEDS: Readonly<Record<string, Need>> = {
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  // Counts of all projects together: no project's admin may read those of the others.
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
  // Computes over what it is given, or over what may be read.
  'POST /v1/agreement': 'read',
  'GET /v1/reports': 'read',
  'GET /v1/rubrics': 'read',
  'GET /v1/rubrics/:id': 'read',
  'GET /v1/judges': 'read',
}

/** Undefined where no such route is declared. A need is of the route that was found, never of a path as it was typed. */
export function findNeed(method: string, route: string): Need | undefined {
  if (route === '/docs' || route.startsWith('/docs/')) return 'open'
  const key = `${method === 'HEAD' ? 'GET' : method} ${route}`
  return Object.hasOwn(ROUTE_NEEDS, key) ? ROUTE_NEEDS[key] : undefined
}
