import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { readBatchRubrics } from '../../batches/batch-rubrics.ts'
import { priceOn } from '../../domain/money/price.ts'
import { claimsOfOutcome } from '../../domain/rubric/outcome-claims.ts'
import { type ClaimRule, citingProof, type OutcomeRule, type Rubric } from '../../domain/rubric/rubric.ts'
import { newestRubric } from '../../domain/rubric/said-claims.ts'
import { setKey } from '../../grading/resolve.ts'
import type { JudgeInfo } from '../../ports/judge-ports.ts'
import type { JudgeView } from '../../schemas/judge-info.ts'
import type { RubricView } from '../../schemas/rubric-view.ts'
import { Type } from '../../schemas/type.ts'
import { sendJson } from '../body/reply.ts'
import { answer, NoQuery, problems } from '../body/schemas.ts'
import type { Context } from '../context.ts'
import { notFound } from '../problem.ts'

const RubricId = Type.Object({ id: Type.String({ maxLength: 200 }) }, { additionalProperties: false })

/** What there is: rubrics and judges. */
export function catalogueRoutes(app: FastifyInstance, { context }: { readonly context: Context }): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()

  routes.get('/v1/rubrics', {
    schema: {
      operationId: 'listRubrics',
      summary: 'The loaded rubrics',
      tags: ['rubrics'],
      querystring: NoQuery,
      response: { 200: answer('RubricList', 'Every rubric, without its prompt.'), ...problems(400) },
    },
    handler: (_request, reply) => sendJson(reply, { items: [...context.rubrics.values()].map(rubricView) }),
  })

  routes.get('/v1/rubrics/:id', {
    schema: {
      operationId: 'getRubric',
      summary: 'One rubric with its prompt, by id@version or by id for its newest version',
      tags: ['rubrics'],
      params: RubricId,
      querystring: NoQuery,
      response: { 200: answer('Rubric', 'The rubric and its prompt.'), ...problems(400, 404) },
    },
    handler: (request, reply) => {
      const rubric = findRubric(context.rubrics, request.params.id)
      if (rubric === null) throw notFound('rubric', request.params.id)
      const { system, question, answer_schema } = rubric
      return sendJson(reply, { ...rubricView(rubric), system, question, answer_schema: { ...answer_schema } })
    },
  })

  routes.get('/v1/batches/:id/rubrics', {
    schema: {
      operationId: 'listBatchRubrics',
      summary: 'The loaded rubrics that the items of a batch ask by',
      tags: ['batches'],
      params: RubricId,
      querystring: NoQuery,
      response: { 200: answer('RubricList', 'Each of them, without its prompt.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { batches } = request.project.stores
      const batch = await batches.get(request.params.id)
      if (batch === null) throw notFound('batch', request.params.id)
      return sendJson(reply, { items: batchRubrics(context, await readBatchRubrics(batches, batch)) })
    },
  })

  routes.get('/v1/judges', {
    schema: {
      operationId: 'listJudges',
      summary: 'The configured judges, and those that lack their key',
      tags: ['judges'],
      querystring: NoQuery,
      response: { 200: answer('JudgeList', 'Every judge.'), ...problems(400) },
    },
    handler: (_request, reply) => {
      const items = [...context.judges.values()].map((one) => judgeView(one.info, context))
      const not_configured = [...context.unkeyed].map(([name, key]) => ({
        ...{ name, default: name === context.config.default_judge, reason: setKey(key) },
      }))
      return sendJson(reply, { items, not_configured })
    },
  })
}

const findRubric = (rubrics: Context['rubrics'], wanted: string): Rubric | null =>
  rubrics.get(wanted) ?? newestRubric(rubrics, wanted)

/** What a batch asks by, as far as it is loaded. */
export const batchRubrics = ({ rubrics }: Pick<Context, 'rubrics'>, names: readonly string[]): RubricView[] =>
  names.flatMap((name) => rubrics.get(name) ?? []).map(rubricView)

function rubricView(rubric: Rubric): RubricView {
  const { id, version, name, title, description, digest, truth, claims, outcome } = rubric
  const labels = outcome.labels.map((label) => ({ label, claims: claimsOfOutcome(rubric, label) }))
  const view = {
    id,
    version,
    name,
    title,
    description,
    digest,
    truth: truth.schema,
    claims: claims.map(claimView),
    labels,
  }
  return { ...view, outcome: outcomeView(outcome) } as RubricView
}

function claimView(claim: ClaimRule) {
  const { id, type, values, minimum, maximum, unclear, measured_by } = claim
  return {
    ...{ id, type, values: [...values] },
    ...(minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...{ unclear, measured_by, evidence: [...(citingProof(claim, null)?.quote ?? [])] },
  }
}

function outcomeView(outcome: OutcomeRule) {
  const { kind, scale, claims } = outcome
  if (kind === 'table') return { table: outcome.rows, scale }
  if (kind === 'best') return { best: { of: claims[0], by: outcome.by, label: outcome.label }, scale }
  return kind === 'label' ? { label: claims[0], scale } : { sum: claims, scale }
}

const judgeView = (info: JudgeInfo, { config, clock }: Context): JudgeView => ({
  name: info.name,
  kind: info.kind,
  description: info.description,
  default: info.name === config.default_judge,
  provider: info.identity.provider,
  base_url: info.base_url,
  model: info.identity.model,
  parameters: { ...info.identity.parameters },
  window_tokens: info.window_tokens,
  max_output_tokens: info.max_output_tokens,
  images: info.images,
  price: priceOn(info.prices, clock.now()),
  sources: { ...info.sources },
})
