import type { Static } from 'typebox'
import { TrajectoryDocumentSchema } from './grade-request.ts'
import { Bool, Choice, Closed, Documented, Int, Nullable, Str, Type } from './type.ts'
import { ACT_LANGUAGES, ACT_OUTCOMES, ACT_ROLES, ActorSchema } from './vocabulary.ts'

const NullableString = Nullable(Type.String())

/** A stored trajectory without its text. */
export const TrajectorySummarySchema = Closed({
  id: Str('Digest of the content.'),
  format: Str('`atif-1.7`, `steps`, …'),
  agent: Closed({ name: NullableString, model: NullableString }),
  steps: Type.Integer(),
  parts: Type.Integer(),
  chars: Int('UTF-16 units of text.'),
  first_step: Type.Integer(),
  last_step: Type.Integer(),
  warnings: Type.Array(Closed({ path: Type.String(), message: Type.String() }), {
    description: 'What deviates from the format and was read all the same.',
  }),
  document: Type.Optional(TrajectoryDocumentSchema),
})
export type TrajectorySummary = Static<typeof TrajectorySummarySchema>

const ActSchema = Documented('What an action of the agent is, from the format’s own facts.', {
  tool: Type.String(),
  role: Choice(ACT_ROLES, 'What this argument of the tool call is.'),
  language: Nullable(Choice(ACT_LANGUAGES)),
  target: Nullable(Type.String(), 'The file that the call writes, edits or reads.'),
  outcome: Choice(ACT_OUTCOMES, 'What the record says became of the call.'),
})

export const TrajectoryStepSchema = Closed({
  id: Int('What citations name.'),
  name: Nullable(Type.String(), 'The source’s own name where it is not the id.'),
  at: Nullable(Type.Number(), 'When it happened: milliseconds since 1970, where the source says so.'),
  copied: Bool('Repeated from an earlier segment of the same run.'),
  parts: Type.Array(
    Closed({
      actor: ActorSchema,
      text: Type.String(),
      path: Str('Where the text stands in the source document.'),
      name: Type.String(),
      media: Bool('A picture or a sound: `text` is a placeholder.'),
      act: Nullable(ActSchema),
    }),
  ),
})
export type TrajectoryStep = Static<typeof TrajectoryStepSchema>
