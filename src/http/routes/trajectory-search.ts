import { searchTrajectories } from '../../audit/search-trajectories.ts'
import type { Digest } from '../../domain/digest.ts'
import { searchOnThread } from '../../offload/search-runs.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { decodeCursor, encodeCursor } from '../body/paging.ts'
import { sendJson } from '../body/reply.ts'
import { answer, problems } from '../body/schemas.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

const SearchQuery = Closed({
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
    description: 'A literal text, not blank, in any case; it means nothing to a pattern.',
  }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Trajectories that hold the text.' }),
  ),
  cursor: PageQuery.cursor,
})

/** Where a text stands in what is stored. */
export function trajectorySearchRoute(routes: Routes, { context }: RouteDeps): void {
  routes.get('/v1/trajectories/search', {
    schema: {
      operationId: 'searchTrajectories',
      summary: 'Search in the texts of all trajectories, newest first',
      description:
        'One request looks through at most 100 trajectories, fewer where they are large: there is more to look through for as long as `next_cursor` is not null, also where `items` is empty.',
      tags: ['trajectories'],
      querystring: SearchQuery,
      response: {
        200: answer('TrajectorySearch', 'What was found, and how far the search has come.'),
        ...problems(400),
      },
    },
    handler: async (request, reply) => {
      const { q, limit = 20, cursor } = request.query
      const before = decodeCursor(cursor, /^sha256:[0-9a-f]{64}$/) as Digest | undefined
      const { next, ...found } = await searchTrajectories(request.project.stores, {
        search: (packed, most) => searchOnThread({ packed, limits: context.config.limits, text: q, most }),
        limit,
        ...(before !== undefined && { before }),
        isGone: () => reply.raw.destroyed,
      })
      return sendJson(reply, { ...found, next_cursor: next === null ? null : encodeCursor(next) })
    },
  })
}
