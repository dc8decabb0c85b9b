import { describe, expect, test } from 'vitest'
import { digestBytes } from '../../src/domain/digest.ts'
import { type Comment, CommentSchema } from '../../src/schemas/audit/comment.ts'
import { schemaIssues } from '../../src/schemas/check.ts'
import type { Current } from './contract.ts'
import { makeRecord } from './make-grade.ts'

const RUN = digestBytes('trajectory')

function makeComment(n: number, grade_id: string, words: Partial<Comment> = {}): Comment {
  const comment: Comment = {
    ...{ id: `com_${String(n).padStart(26, '0')}`, grade_id, trajectory: RUN, step_id: 7, text: 'Here. \0 \ud83d' },
    ...{ rater: 'ada', created_at: '2026-11-21T00:00:00.000Z', ...words },
  }
  expect(schemaIssues(CommentSchema, comment)).toEqual([])
  return comment
}

export function describeComments(current: Current): void {
  describe('comments', () => {
    const putGrade = async (): Promise<string> => {
      const record = makeRecord()
      await current().grades.put(record)
      return record.grade.id
    }

    test('come back as they were, those of one trajectory, oldest first, a page at a time', async () => {
      const { comments } = current()
      const [one, other] = [await putGrade(), await putGrade()]
      const made = [
        makeComment(1, one),
        makeComment(2, other, { step_id: -1, rater: null }),
        makeComment(3, one, { trajectory: digestBytes('another') }),
        makeComment(4, one),
      ]
      for (const comment of made) await comments.put(comment)
      const [first, second, elsewhere, last] = made
      expect(await comments.list({ trajectory: RUN, limit: 10 })).toEqual([first, second, last])
      expect(await comments.list({ trajectory: RUN, limit: 1, after: first?.id ?? '' })).toEqual([second])
      expect(await comments.list({ trajectory: digestBytes('another'), limit: 10 })).toEqual([elsewhere])
    })

    test('are of a grade that exists, and never changed', async () => {
      const { comments } = current()
      await expect(comments.put(makeComment(1, 'grd_none'))).rejects.toMatchObject({ name: 'StorageError' })
      const comment = makeComment(2, await putGrade())
      await comments.put(comment)
      await expect(comments.put({ ...comment, text: 'other' })).rejects.toMatchObject({ name: 'StorageError' })
      expect(await comments.list({ trajectory: RUN, limit: 10 })).toEqual([comment])
    })
  })
}
