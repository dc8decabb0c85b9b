import { defined } from '../../domain/defined.ts'
import type { QueueQuery } from '../../schemas/audit/queries.ts'
import { decodeCursor, takePage } from '../../schemas/page.ts'
import { type AuditContext, requireNames } from '../names.ts'
import { type QueuePlace, readDisagreements } from './disagreements.ts'

/** The form of a cursor: `{thousandths of the score}/{question}/{rubric}`. */
const CURSOR = /^\d{1,6}\/sha256:[0-9a-f]{64}\/sha256:[0-9a-f]{64}\/[a-z][a-z0-9-]*$/

/** Finds the disagreements of the review queue, the most telling first, each with its place in the queue. */
export async function findDisagreements(context: AuditContext, query: QueueQuery) {
  const { kind, claim, settled, limit: _, cursor, format: __, ...filters } = query
  await requireNames(context, { ...filters, claim })
  const asked = { filter: filters, ...defined({ kind, claim: claim || undefined, settled }) }
  const stores = { ...context.stores, loaded: context.rubrics }
  return readDisagreements(stores, asked, placeOf(decodeCursor(cursor, CURSOR)))
}

/** Lists one page of the review queue. */
export async function listDisagreements(context: AuditContext, query: QueueQuery) {
  const found = await findDisagreements(context, query)
  const page = await takePage(found, query.limit ?? 50, ({ place }) => `${place.millis}/${place.question}`)
  return { ...page, items: page.items.map(({ disagreement }) => disagreement) }
}

function placeOf(cursor: string | undefined): QueuePlace | undefined {
  if (cursor === undefined) return undefined
  const slash = cursor.indexOf('/')
  return { millis: Number(cursor.slice(0, slash)), question: cursor.slice(slash + 1) }
}
