import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { loadOptional } from '../../config/optional-package.ts'
import { AgreementSchema, ComparisonSchema } from '../../schemas/agreement.ts'
import { BatchEstimateSchema, BatchItemSchema, BatchResultSchema, BatchSchema } from '../../schemas/batch.ts'
import { BatchCallSchema, GradeSchema, LedgerEntrySchema } from '../../schemas/grade.ts'
import { ProblemSchema, RequestError } from '../../schemas/problem.ts'
import { NextCursorSchema } from '../../schemas/queries.ts'
import { ReportSchema } from '../../schemas/report.ts'
import {
  DisagreementSchema,
  DispositionSchema,
  FindingsSchema,
  PanelResultSchema,
  ReviewSchema,
  SignoffSchema,
} from '../../schemas/review.ts'
import { RubricViewSchema } from '../../schemas/rubric.ts'
import { GroundTruthSchema } from '../../schemas/trial.ts'
import { Closed, Type } from '../../schemas/type.ts'
import * as views from '../../schemas/views.ts'

/** Adds the contract at /openapi.json, made of the schemas of all routes that are added later, and its pages at /docs. */
export async function installOpenApi(app: FastifyInstance): Promise<void> {
  for (const [name, schema] of Object.entries(COMPONENTS)) app.addSchema({ ...schema, $id: name })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Veridict',
        version: '1',
        description:
          'Grades what terminal agents did with the instructions they found in their environment. Evidence gates the label.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: { securitySchemes: SECURITY_SCHEMES },
      servers: [{ url: '/', description: 'Wherever the service listens.' }],
      tags: [
        { name: 'grades', description: 'Grade one trajectory and read grades.' },
        { name: 'trajectories', description: 'Upload once, grade by id.' },
        { name: 'rubrics', description: 'What a judge is asked.' },
        { name: 'judges', description: 'Who answers.' },
        { name: 'audit', description: 'Disagreements, human labels, agreement.' },
        { name: 'access', description: 'Who asks; browsers sign in and out.' },
        { name: 'operations', description: 'Probes and metrics.' },
      ],
    },
    hideUntagged: true,
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema['$id'] ?? `def-${index}`) },
  })
  // Written once: the contract is asked for without a key.
  let text: string | undefined
  app.get('/openapi.json', { schema: { hide: true }, config: { need: 'open' } }, (_request, reply) => {
    text ??= JSON.stringify(app.swagger())
    return reply.type('application/json').send(text)
  })
  try {
    const pages = await loadOptional('@fastify/swagger-ui', () => import('@fastify/swagger-ui'), 'the page /docs')
    await app.register(pages.default, { routePrefix: '/docs' })
  } catch (error) {
    const { message } = error as Error
    app.get('/docs', { schema: { hide: true }, config: { need: 'open' } }, () => {
      throw new RequestError('not_found', `${message}, then start again; /openapi.json has the same`)
    })
  }
}

/** Credentials of a caller. Behind TLS the name of the cookie has the prefix `__Host-`. */
const SECURITY_SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key, made with `veridict keys create`. Needed unless the service listens on loopback, or its configuration says otherwise; one that is sent must be good.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'veridict_session',
    description: 'Of a browser that signed in at `POST /v1/session`.',
  },
} as const

const listOf = (name: string) => Closed({ items: Type.Array(ref(name)) })
const pageOf = (name: string) => Closed({ items: Type.Array(ref(name)), next_cursor: NextCursorSchema })

/** The named components of the OpenAPI document. */
const COMPONENTS = {
  Grade: GradeSchema,
  GradePage: pageOf('Grade'),
  Panel: Closed({ items: Type.Array(ref('Grade')), result: PanelResultSchema }),
  GradeOverview: views.GradeOverviewSchema,
  GroundTruth: GroundTruthSchema,
  LedgerEntry: LedgerEntrySchema,
  BatchCall: BatchCallSchema,
  LedgerEntryList: listOf('LedgerEntry'),
  TrajectorySummary: views.TrajectorySummarySchema,
  TrajectoryStep: views.TrajectoryStepSchema,
  TrajectoryStepPage: pageOf('TrajectoryStep'),
  Rubric: RubricViewSchema,
  RubricList: listOf('Rubric'),
  Judge: views.JudgeViewSchema,
  JudgeList: Closed({
    items: Type.Array(ref('Judge')),
    not_configured: Type.Array(views.UnconfiguredJudgeSchema, { description: 'Judges that lack their key.' }),
  }),
  Batch: BatchSchema,
  BatchItem: BatchItemSchema,
  BatchPage: pageOf('Batch'),
  BatchResult: BatchResultSchema,
  BatchEstimate: BatchEstimateSchema,
  Comparison: ComparisonSchema,
  Report: ReportSchema,
  Review: ReviewSchema,
  ReviewPage: pageOf('Review'),
  Disagreement: DisagreementSchema,
  DisagreementPage: pageOf('Disagreement'),
  Agreement: AgreementSchema,
  Findings: FindingsSchema,
  Disposition: DispositionSchema,
  Signoff: SignoffSchema,
  Status: Closed({ status: Type.String() }),
  Problem: ProblemSchema,
} satisfies Record<string, TSchema>
export type ComponentName = keyof typeof COMPONENTS

export function ref(name: string): TSchema {
  return Type.Unsafe({ $ref: `${name}#` })
}
