import type { Static } from 'typebox'
import { Closed, Nullable, Type } from '../type.ts'
import { RaterSchema } from './review.ts'

export const CommentRequestSchema = Closed({
  step_id: Type.Integer({ description: 'A step of the trajectory that was graded.' }),
  text: Type.String({ minLength: 1, maxLength: 5000, pattern: '\\S', description: 'The comment; not blank.' }),
  rater: Type.Optional(RaterSchema),
})
export type CommentRequest = Static<typeof CommentRequestSchema>

/** A comment on a step. Append-only; it stands at every grade of the trajectory. */
export const CommentSchema = Closed({
  id: Type.String({ pattern: '^com_[0-9a-z]+$' }),
  grade_id: Type.String({ description: 'The grade at which it was written.' }),
  trajectory: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
  step_id: Type.Integer(),
  text: Type.String(),
  rater: Nullable(Type.String(), { description: 'Who wrote it; null: it was not said.' }),
  created_at: Type.String({ format: 'date-time' }),
})
export type Comment = Static<typeof CommentSchema>
