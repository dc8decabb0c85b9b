import type Database from 'better-sqlite3'
import type { CommentStore } from '../../ports/grade-ports.ts'
import type { Comment } from '../../schemas/audit/comment.ts'
import { parseStored } from '../stored-text.ts'
import type { Unit } from './unit.ts'

const INSERT = `
  INSERT INTO comments (id, grade_id, trajectory, body, created_at)
  VALUES (@id, @grade_id, @trajectory, @body, @created_at)`

const LIST = 'SELECT body FROM comments WHERE trajectory = @trajectory AND id > @after ORDER BY id LIMIT @limit'

export function createCommentStore(db: Database.Database, unit: Unit): CommentStore {
  const insert = db.prepare(INSERT)
  const list = db.prepare(LIST).pluck()
  return {
    put: (comment) => unit.write(() => void insert.run(renderComment(comment))),
    list: (query) =>
      unit.read(() => (list.all({ after: '', ...query }) as string[]).map((body) => parseStored<Comment>(body))),
  }
}

/** A comment as its row. */
export const renderComment = (comment: Comment) => ({
  id: comment.id,
  grade_id: comment.grade_id,
  trajectory: comment.trajectory,
  body: JSON.stringify(comment),
  created_at: comment.created_at,
})
