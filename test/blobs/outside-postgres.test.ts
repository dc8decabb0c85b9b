import { describePostgres } from '../storage/postgres-tools.ts'
import { describeOutside } from './describe-outside.ts'
import { describePlaces } from './describe-places.ts'
import { describeReplies } from './describe-replies.ts'
import type { TestDatabase } from './outside-tools.ts'

describePostgres('PostgreSQL, large data outside', (tools) => {
  const makeDatabase = (): TestDatabase => {
    const schema = tools().newSchema()
    return {
      open: (blobs) => tools().open(schema, { blobs }),
      query: (sql) => tools().server.query(`SET search_path = "${schema}"; ${sql}`),
    }
  }
  describeOutside(makeDatabase)
  describeReplies(makeDatabase)
  describePlaces(makeDatabase)
})
