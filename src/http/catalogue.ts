import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { Rubric } from '../domain/rubric.ts'
import type { JudgeInfo } from '../grading/ports.ts'
import { RubricManifestSchema } from '../schemas/rubric.ts'
import { notFound, ProblemSchema } from './problem.ts'
import { sendJson } from './reply.ts'

const NullableInteger = Type.Union([Type.Integer(), Type.Null()])
const NullableString = Type.Union([Type.String(), Type.Null()])

const RubricSchema = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  digest: Type.String(),
  evidence: RubricManifestSchema.properties.evidence,
  labels: RubricManifestSchema.properties.labels,
  system: Type.Optional(Type.String()),
  question: Type.Optional(Type.String()),
})

const JudgeSchema = Type.Object({
  name: Type.String(),
  kind: Type.Enum(['lexical', 'model'] as const, { type: 'string' }),
  description: Type.String(),
  default: Type.Boolean(),
  provider: NullableString,
  model: NullableString,
  parameters: Type.Record(Type.String(), Type.Unknown()),
  window_tokens: NullableInteger,
  max_output_tokens: NullableInteger,
  price: Type.Unknown({ description: 'Dollars per million tokens with the day they were read; null: unknown.' }),
})

/** What there is: rubrics and judges. */
export function catalogueRoutes(app: FastifyInstance, options: { readonly context: Context }): void {
  const { context } = options

  app.get('/v1/rubrics', {
    schema: {
      operationId: 'listRubrics',
      summary: 'The loaded rubrics',
      tags: ['rubrics'],
      response: { 200: Type.Object({ items: Type.Array(RubricSchema) }) },
    },
    handler: (_request, reply) => sendJson(reply, { items: [...context.rubrics.values()].map(rubricView) }),
  })

  app.get<{ Params: { id: string } }>('/v1/rubrics/:id', {
    schema: {
      operationId: 'getRubric',
      summary: 'One rubric with its prompt, by id@version or by id for its newest version',
      tags: ['rubrics'],
      params: Type.Object({ id: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
      response: { 200: RubricSchema, 404: ProblemSchema },
    },
    handler: (request, reply) => {
      const wanted = request.params.id
      const versions = [...context.rubrics.values()]
        .filter((one) => one.id === wanted)
        .sort((a, b) => b.version - a.version)
      const rubric = context.rubrics.get(wanted) ?? versions[0]
      if (rubric === undefined) throw notFound('rubric')
      return sendJson(reply, { ...rubricView(rubric), system: rubric.system, question: rubric.question })
    },
  })

  app.get('/v1/judges', {
    schema: {
      operationId: 'listJudges',
      summary: 'The configured judges',
      tags: ['judges'],
      response: { 200: Type.Object({ items: Type.Array(JudgeSchema) }) },
    },
    handler: (_request, reply) =>
      sendJson(reply, {
        items: [...context.judges.values()].map((judge) => judgeView(judge.info, context.config.default_judge)),
      }),
  })
}

const rubricView = ({ id, version, name, title, description, digest, evidence, table }: Rubric) => ({
  id,
  version,
  name,
  title,
  description,
  digest,
  evidence,
  labels: table,
})

/** Never a key, and no base URL: it can hold credentials. */
const judgeView = (info: JudgeInfo, defaultJudge: string) => ({
  name: info.name,
  kind: info.kind,
  description: info.description,
  default: info.name === defaultJudge,
  provider: info.identity.provider,
  model: info.identity.model,
  parameters: info.identity.parameters,
  window_tokens: info.window_tokens,
  max_output_tokens: info.max_output_tokens,
  price: info.price,
})
