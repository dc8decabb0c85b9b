import type { Issue } from '../domain/result.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Comment, CommentRequest } from '../schemas/audit/comment.ts'
import type { Grade } from '../schemas/grade.ts'

/** A comment names a step of the run that was graded. Empty: it does. */
export const findCommentFaults = (run: Trajectory | null, { step_id }: CommentRequest): Issue[] =>
  run?.steps.some(({ id }) => id === step_id) === true
    ? []
    : [{ path: '/step_id', message: 'names no step of the trajectory' }]

/** What is stored of a comment: it belongs to the trajectory, and names the grade at which it was made. */
export const makeComment = (
  { step_id, text, rater }: CommentRequest,
  { id: grade_id, receipt }: Pick<Grade, 'id' | 'receipt'>,
  made: { readonly id: string; readonly at: Date },
): Comment => ({
  ...{ id: made.id, grade_id, trajectory: receipt.trajectory, step_id, text, rater: rater ?? null },
  created_at: made.at.toISOString(),
})
