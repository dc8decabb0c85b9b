import type { CommentStore } from '../../ports/grade-ports.ts'
import type { Comment } from '../../schemas/audit/comment.ts'
import type { Db } from '../db.ts'
import { parseStored } from '../stored-text.ts'

const LIST = 'SELECT body FROM comments WHERE trajectory = $1 AND id > $2 ORDER BY id LIMIT $3'

export const createCommentStore = (db: Db): CommentStore => ({
  put: (comment) => db.write((sql) => sql.insert('comments', renderComment(comment))),
  list: async ({ trajectory, after = '', limit }) =>
    (await db.rows<{ body: string }>(LIST, [trajectory, after, limit])).map(({ body }) => parseStored<Comment>(body)),
})

const renderComment = (comment: Comment) => ({
  id: comment.id,
  grade_id: comment.grade_id,
  trajectory: comment.trajectory,
  body: JSON.stringify(comment),
  created_at: comment.created_at,
})
