import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { GROUND_TRUTH } from '../grading/harness.ts'
import { finish, makeTrajectory } from '../http/make-batch.ts'
import { type Alpha, MARK } from './alpha.ts'
import type { AnsweringApp } from './answering-app.ts'
import { asHolder, type KeyHolder } from './make-keys.ts'

let app: AnsweringApp
let alpha: Alpha

/** What all tries are at. */
export function aimAt(target: { readonly app: AnsweringApp; readonly alpha: Alpha }): void {
  app = target.app
  alpha = target.alpha
}

/** One try of another project to get at what alpha has. */
export interface Try {
  readonly what: string
  readonly ask: (other: KeyHolder) => Promise<LightMyRequestResponse>
  /** What is sent, beside the address. */
  readonly body?: () => unknown
  /** The status that it gets, and what its answer is like. */
  readonly gets: number
  readonly like?: object
  /** What is to be seen afterwards. */
  readonly after?: (response: LightMyRequestResponse, other: KeyHolder) => unknown
}

const get = (url: () => string, gets = 404, like?: object): Try => ({
  what: `gets ${gets}`,
  ask: (other) => other.get(url()),
  gets,
  ...(like && { like }),
})
const post = (what: string, url: () => string, body: () => unknown, gets: number, like?: object): Try => ({
  what,
  ask: (other) => other.post(url(), body()),
  body,
  gets,
  ...(like && { like }),
})
const EMPTY = { items: [], next_cursor: null }
const UNKNOWN = { total: 0, complete: true, names: { judge: [], rubric: [], agent: [], model: [], task: [] } }
const byId = () => ({ trajectory: { id: alpha.trajectory }, ground_truth: GROUND_TRUTH, judge: 'scripted' })
/** Whoever sees alpha’s own answer to this has not got it from another project. */
const shared = (url: string): Try => get(() => url, 200)

/** Every route that there is. What is not about anything stored is here too: its answer must not speak of alpha either. */
export const TRIES: Readonly<Record<string, readonly Try[]>> = {
  'POST /v1/grades': [
    {
      what: 'is not answered from alpha’s cache of bytes: the judge is asked again',
      ask: (other) => other.post('/v1/grades', { ...alpha.request, metadata: {} }),
      gets: 201,
      like: { receipt: { cache: 'miss' } },
    },
    {
      what: 'sends alpha’s very bytes, and asks the judge again',
      ask: async (other) => {
        const calls = app.calls.length
        const response = await other.post('/v1/grades', alpha.request)
        expect([response.statusCode, app.calls.length]).toEqual([201, calls + 1])
        // The answer itself repeats the word that stands in these bytes.
        return other.get(`/v1/reviews?grade_id=${response.json().id}`)
      },
      gets: 200,
    },
    {
      what: 'gets nothing under alpha’s Idempotency-Key',
      ask: (other) =>
        other.post('/v1/grades', { ...alpha.request, metadata: {} }, { 'idempotency-key': alpha.idempotencyKey }),
      gets: 201,
      after: (response) => expect(response.headers['idempotency-replayed']).toBeUndefined(),
    },
    post(
      'finds nothing cached',
      () => '/v1/grades',
      () => ({ ...alpha.request, cache: 'only' }),
      404,
      {
        code: 'not_cached',
      },
    ),
    post('cannot name alpha’s trajectory', () => '/v1/grades', byId, 404, { code: 'unknown_trajectory' }),
  ],
  'GET /v1/grades': [
    get(() => '/v1/grades', 200, EMPTY),
    get(() => `/v1/grades?batch=${alpha.batch}`),
    get(() => `/v1/grades?task=${MARK}`, 200, EMPTY),
    get(() => `/v1/grades?cursor=${Buffer.from(`grd_${'z'.repeat(26)}`).toString('base64url')}`, 200, EMPTY),
  ],
  'GET /v1/grades/overview': [
    get(() => '/v1/grades/overview', 200, UNKNOWN),
    get(() => `/v1/grades/overview?batch=${alpha.batch}`),
  ],
  'GET /v1/grades/:id': [get(() => `/v1/grades/${alpha.grade}`)],
  'GET /v1/grades/:id/attempts': [get(() => `/v1/grades/${alpha.grade}/attempts?raw=true`)],
  'GET /v1/grades/:id/panel': [get(() => `/v1/grades/${alpha.grade}/panel`)],
  'GET /v1/grades/:id/ground-truth': [get(() => `/v1/grades/${alpha.grade}/ground-truth`)],
  'POST /v1/grades/:id/reviews': [
    post(
      'cannot be reviewed',
      () => `/v1/grades/${alpha.grade}/reviews`,
      () => ({
        rater: 'beta',
        label: 'ignored',
        claims: { observed: true, cue_acted: false, distractor_acted: false },
      }),
      404,
    ),
  ],
  'GET /v1/reviews': [
    get(() => '/v1/reviews', 200, EMPTY),
    get(() => `/v1/reviews?rater=${MARK}`, 200, EMPTY),
    get(() => `/v1/reviews?grade_id=${alpha.grade}`, 200, EMPTY),
    get(() => `/v1/reviews?question=${encodeURIComponent(alpha.question)}`, 200, EMPTY),
    get(() => '/v1/reviews?format=csv', 200),
  ],
  'POST /v1/trajectories': [
    // 200 would say that somebody had it before.
    post(
      'is new here',
      () => '/v1/trajectories',
      () => makeTrajectory(0),
      201,
    ),
  ],
  'GET /v1/trajectories/:id': [get(() => `/v1/trajectories/${alpha.trajectory}?document=true`)],
  'GET /v1/trajectories/:id/steps': [get(() => `/v1/trajectories/${alpha.trajectory}/steps`)],
  'POST /v1/batches': [
    post(
      'cannot name alpha’s trajectory',
      () => '/v1/batches',
      () => ({ items: [byId()] }),
      404,
    ),
    post(
      'costs what it would cost anybody',
      () => '/v1/batches?dry_run=true',
      () => ({ items: [{ ...alpha.request, metadata: {} }] }),
      200,
      { items: 1, cached: 0 },
    ),
    {
      what: 'takes nothing from alpha’s cache, and is not alpha’s batch of the same key',
      ask: (other) => other.post('/v1/batches', { items: [{ ...alpha.request, metadata: {} }] }),
      gets: 202,
      after: async (response, other) => {
        const { batch } = await finish(asHolder(app, other), response.json().id)
        expect(batch).toMatchObject({ counts: { total: 1, graded: 1 }, cached: 0, calls: { made: 1 } })
      },
    },
  ],
  'GET /v1/batches': [
    get(() => '/v1/batches', 200, EMPTY),
    get(() => `/v1/batches?key=${alpha.batchKey}`, 200, EMPTY),
    get(() => '/v1/batches?status=parked', 200, EMPTY),
  ],
  'GET /v1/batches/:id': [get(() => `/v1/batches/${alpha.batch}`), get(() => `/v1/batches/${alpha.parked}`)],
  'GET /v1/batches/:id/attempts': [get(() => `/v1/batches/${alpha.batch}/attempts?raw=true`)],
  'GET /v1/batches/:id/rubrics': [get(() => `/v1/batches/${alpha.batch}/rubrics`)],
  'GET /v1/batches/:id/results': [
    get(() => `/v1/batches/${alpha.batch}/results`),
    get(() => `/v1/batches/${alpha.parked}/results?wait=true`),
  ],
  'GET /v1/batches/:id/events': [get(() => `/v1/batches/${alpha.batch}/events`)],
  'POST /v1/batches/:id/resume': [
    post(
      'does not go on',
      () => `/v1/batches/${alpha.parked}/resume`,
      () => undefined,
      404,
    ),
  ],
  'POST /v1/batches/:id/cancel': [
    post(
      'is not cancelled',
      () => `/v1/batches/${alpha.parked}/cancel`,
      () => undefined,
      404,
    ),
  ],
  'POST /v1/regrades': [
    ...[() => ({ ids: [alpha.grade] }), () => ({ judge: 'scripted' })].map((query) =>
      post(
        'finds nothing to grade again',
        () => '/v1/regrades',
        () => ({ query: query(), judge: 'second' }),
        400,
        {
          errors: [{ path: '/query' }],
        },
      ),
    ),
    post(
      'finds no batch to grade again',
      () => '/v1/regrades',
      () => ({ query: { batch: alpha.batch }, judge: 'second' }),
      404,
    ),
    post(
      'rechecks nothing',
      () => '/v1/regrades',
      () => ({ query: { batch: alpha.batch }, recheck: true }),
      404,
    ),
    post(
      'counts nothing',
      () => '/v1/regrades',
      () => ({ query: { batch: alpha.batch }, judge: 'second', dry_run: true }),
      404,
    ),
  ],
  'GET /v1/comparisons': [
    get(() => `/v1/comparisons?head=${alpha.regrade}`),
    get(() => `/v1/comparisons?base=${alpha.batch}&head=${alpha.regrade}`),
  ],
  'GET /v1/disagreements': [
    get(() => '/v1/disagreements', 200, EMPTY),
    get(() => `/v1/disagreements?batch=${alpha.batch}`),
    get(() => '/v1/disagreements?format=csv', 200),
  ],
  'POST /v1/agreement': [
    post(
      'has no ratings of alpha’s',
      () => '/v1/agreement',
      () => ({ stored: { raters: ['judge:scripted', 'humans'] } }),
      200,
      { n_items: 0, n_ratings: 0 },
    ),
    post(
      'counts nothing of alpha’s',
      () => '/v1/agreement',
      () => ({ stored: { raters: ['judge:scripted', 'humans'], query: { batch: alpha.batch } } }),
      404,
    ),
  ],
  'GET /v1/reports': [
    get(() => '/v1/reports', 200, { groups: [] }),
    get(() => `/v1/reports?batch=${alpha.batch}`),
    get(() => '/v1/reports?format=csv', 200),
  ],
  'GET /v1/rubrics': [shared('/v1/rubrics')],
  'GET /v1/rubrics/:id': [shared('/v1/rubrics/tab-behavior')],
  'GET /v1/judges': [shared('/v1/judges')],
  'GET /v1/session': [get(() => '/v1/session', 200)],
  'POST /v1/session': [
    post(
      'is its own',
      () => '/v1/session',
      () => ({ key: 'vk_wrong' }),
      401,
    ),
  ],
  'DELETE /v1/session': [
    {
      what: 'ends no other session',
      ask: (other) => app.http.inject({ method: 'DELETE', url: '/v1/session', headers: other.headers }),
      gets: 200,
    },
  ],
  'GET /healthz': [shared('/healthz')],
  'GET /readyz': [shared('/readyz')],
  'GET /metrics': [shared('/metrics')],
  'GET /openapi.json': [shared('/openapi.json')],
  'GET /': [get(() => '/', 302)],
  'GET /audit': [get(() => '/audit', 302)],
  'GET /audit/*': [shared('/audit/')],
}
