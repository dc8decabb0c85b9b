import type { Static } from 'typebox'
import { NextCursorSchema } from './page.ts'
import { Closed, Nullable, Type } from './type.ts'
import { ActorSchema } from './vocabulary.ts'

const HitSchema = Closed({
  step_id: Type.Integer(),
  path: Type.String({ description: 'Of the part: where its text stands in the source document.' }),
  actor: ActorSchema,
  start: Type.Integer({ description: 'In the text of the part, UTF-16 units.' }),
  end: Type.Integer(),
  excerpt: Type.String({ description: 'The text around the place, in whole words where they are not too long.' }),
  excerpt_start: Type.Integer({ description: 'Where the excerpt begins in the text of the part.' }),
  text_length: Type.Integer({ description: 'Of the whole text of the part.' }),
  more_in_step: Type.Boolean({ description: 'The step holds the text in further places.' }),
})

const FoundTrajectorySchema = Closed({
  trajectory: Type.String({ description: 'Its id.' }),
  grades: Type.Array(
    Closed(
      {
        id: Type.String(),
        judge: Type.String(),
        task: Nullable(Type.String()),
        agent: Nullable(Type.String()),
        model: Nullable(Type.String()),
        trial: Nullable(Type.String()),
        run_index: Nullable(Type.Integer()),
        variant: Nullable(Type.String()),
        created_at: Type.String(),
      },
      { description: 'The grade, with what its metadata says of the trial.' },
    ),
    { description: 'Its newest grades, at most five; none: it was stored and never graded.' },
  ),
  agent: Closed(
    { name: Nullable(Type.String()), model: Nullable(Type.String()) },
    { description: 'What the run itself says of its agent.' },
  ),
  hits: Type.Array(HitSchema, {
    description: 'The first three places in each of its first five steps that hold the text.',
  }),
  more_hits: Type.Boolean({ description: 'Further steps hold the text.' }),
})

/** What a look through a part of the stored trajectories found. */
export const TrajectorySearchSchema = Closed({
  items: Type.Array(FoundTrajectorySchema),
  searched: Type.Integer({ description: 'Trajectories that this request has looked through.' }),
  unread: Type.Integer({ description: 'Of them, those that could not be read.' }),
  total: Type.Integer({ description: 'All trajectories that are stored.' }),
  next_cursor: NextCursorSchema,
})
export type TrajectorySearch = Static<typeof TrajectorySearchSchema>
