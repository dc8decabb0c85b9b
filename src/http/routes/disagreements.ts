import type { Static } from 'typebox'
import { type QueuePlace, readDisagreements } from '../../audit/disagreements/disagreements.ts'
import { given } from '../../domain/given.ts'
import { DisagreementKindSchema } from '../../schemas/audit/disagreement.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { decodeCursor, mapAsync, takeAsync, takePage } from '../answers.ts'
import type { Context } from '../context.ts'
import { DISAGREEMENTS, FormatQuery, sendCsv, withCsv } from '../csv.ts'
import { requireNames } from '../known-names.ts'
import { answer, NAMED, nameFilter, operation } from '../operation.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

export const QueueQuery = Closed({
  kind: Type.Optional(DisagreementKindSchema),
  claim: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Questions in which two say different things of this claim, by its id.',
    }),
  ),
  judge: nameFilter('Questions that this judge has graded, with what all others say of them.'),
  rubric: nameFilter('`id@version`, or an id for all of its versions.'),
  agent: nameFilter(),
  model: nameFilter(),
  task: nameFilter(),
  batch: nameFilter(),
  settled: Type.Optional(Type.Boolean({ description: 'Absent: both.' })),
  ...FormatQuery,
  ...PageQuery,
})

/** The form of a cursor: `{thousandths of the score}/{question}/{rubric}`. */
const CURSOR = /^\d{1,6}\/sha256:[0-9a-f]{64}\/sha256:[0-9a-f]{64}\/[a-z][a-z0-9-]*$/

/** Adds the route of the review queue. */
export function disagreementRoutes(routes: Routes, { context }: RouteDeps): void {
  routes.get('/v1/disagreements', {
    ...operation('read', 'audit', 'listDisagreements', {
      summary: 'Questions on which not all agree, the most telling first',
      description:
        'A question is a trajectory with its ground truth, under one rubric: what different rubrics ask is never compared. Filters choose the questions that have a standing grade that fits all of them; everything that was said of them is shown. `batch` chooses among its own trials, and of the judges that it asked its own grades are shown. With `format=csv` the whole queue in one table, or `limit` of it, from `cursor` on.',
      querystring: QueueQuery,
      answers: { 200: withCsv(answer('DisagreementPage', 'One page.'), DISAGREEMENTS.columns) },
      problems: NAMED,
    }),
    handler: async ({ query }, reply) => {
      if (query.format !== 'csv') return await listDisagreements(context, query)
      const found = takeAsync(await findDisagreements(context, query), query.limit)
      const rows = mapAsync(found, ({ disagreement }) => DISAGREEMENTS.toRow(disagreement))
      return sendCsv(reply, 'disagreements', DISAGREEMENTS.columns, rows)
    },
  })
}

type Query = Static<typeof QueueQuery>

/** Finds the disagreements of the review queue, the most telling first, each with its place in the queue. */
async function findDisagreements(context: Context, query: Query) {
  const { kind, claim, settled, limit: _, cursor, format: __, ...filters } = query
  await requireNames(context, { ...filters, claim })
  const asked = { filter: filters, ...given({ kind, claim: claim || undefined, settled }) }
  const stores = { ...context.stores, loaded: context.rubrics }
  return readDisagreements(stores, asked, placeOf(decodeCursor(cursor, CURSOR)))
}

/** Lists one page of the review queue. */
export async function listDisagreements(context: Context, query: Query) {
  const found = await findDisagreements(context, query)
  const page = await takePage(found, query.limit ?? 50, ({ place }) => `${place.millis}/${place.question}`)
  return { ...page, items: page.items.map(({ disagreement }) => disagreement) }
}

function placeOf(cursor: string | undefined): QueuePlace | undefined {
  if (cursor === undefined) return undefined
  const slash = cursor.indexOf('/')
  return { millis: Number(cursor.slice(0, slash)), question: cursor.slice(slash + 1) }
}
