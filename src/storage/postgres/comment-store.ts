import type { CommentStore } from '../../ports/grade-ports.ts'
import type { Comment } from '../../schemas/audit/comment.ts'
import { renderComment } from '../sqlite/comment-store.ts'
import { parseStored } from '../stored-text.ts'
import { insertOf } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'

const LIST = 'SELECT body FROM comments WHERE trajectory = $1 AND id > $2 ORDER BY id LIMIT $3'

export function createCommentStore(unit: Unit): CommentStore {
  return {
    put: (comment) => unit.write(async (sql) => void (await sql.run(...insertOf('comments', renderComment(comment))))),
    list: async ({ trajectory, after = '', limit }) =>
      (await unit.rows<{ body: string }>(LIST, [trajectory, after, limit])).map(({ body }) =>
        parseStored<Comment>(body),
      ),
  }
}
