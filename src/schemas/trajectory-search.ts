import type { Static } from 'typebox'
import { NextCursorSchema } from './page.ts'
import { Type } from './type.ts'
import { ActorSchema } from './vocabulary.ts'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const closed = { additionalProperties: false } as const

const HitSchema = Type.Object(
  {
    step_id: Type.Integer(),
    path: Type.String({ description: 'Of the part: where its text stands in the source document.' }),
    actor: ActorSchema,
    start: Type.Integer({ description: 'In the text of the part, UTF-16 units.' }),
    end: Type.Integer(),
    excerpt: Type.String({ description: 'The text around the place, in whole words where they are not too long.' }),
    excerpt_start: Type.Integer({ description: 'Where the excerpt begins in the text of the part.' }),
    text_length: Type.Integer({ description: 'Of the whole text of the part.' }),
    more_in_step: Type.Boolean({ description: 'The step holds the text in further places.' }),
  },
  closed,
)

const FoundTrajectorySchema = Type.Object(
  {
    trajectory: Type.String({ description: 'Its id.' }),
    grades: Type.Array(
      Type.Object(
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
        { ...closed, description: 'The grade, with what its metadata says of the trial.' },
      ),
      { description: 'Its newest grades, at most five; none: it was stored and never graded.' },
    ),
    agent: Type.Object(
      { name: Nullable(Type.String()), model: Nullable(Type.String()) },
      { ...closed, description: 'What the run itself says of its agent.' },
    ),
    hits: Type.Array(HitSchema, {
      description: 'The first three places in each of its first five steps that hold the text.',
    }),
    more_hits: Type.Boolean({ description: 'Further steps hold the text.' }),
  },
  closed,
)

/** What a look through a part of the stored trajectories found. */
export const TrajectorySearchSchema = Type.Object(
  {
    items: Type.Array(FoundTrajectorySchema),
    searched: Type.Integer({ description: 'Trajectories that this request has looked through.' }),
    unread: Type.Integer({ description: 'Of them, those that could not be read.' }),
    total: Type.Integer({ description: 'All trajectories that are stored.' }),
    next_cursor: NextCursorSchema,
  },
  closed,
)
export type TrajectorySearch = Static<typeof TrajectorySearchSchema>
