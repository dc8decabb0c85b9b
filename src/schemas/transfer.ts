import type { Static } from 'typebox'
import { AttemptSummarySchema } from './grade.ts'
import { Bool, Closed, Nullable, Type } from './type.ts'

/** The version of the lines below. An import refuses every other version. */
export const EXPORT_VERSION = 1

const Id = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_:.-]{0,199}$' })
const { sample, round, purpose, outcome, message, cost_usd, request_id } = AttemptSummarySchema.properties
const Text = Type.String()

/** The records of an export by their kind. `document`, `body`, `ground_truth` and `usage` are JSON texts, byte for byte as they are stored. */
export const EXPORT_RECORDS = {
  trajectory: Closed({
    kind: Type.Enum(['trajectory'] as const),
    ...{ id: Id, format: Text, document: Text, created_at: Text },
  }),
  attempt: Closed({
    kind: Type.Enum(['attempt'] as const),
    ...{ id: Id, grade_id: Id, key: Text, sample, round, purpose, request_digest: Text, judge: Text, started_at: Text },
    ...{ batch: Nullable(Text), payer: Nullable(Text), reserved_usd: Nullable(Type.Number()) },
    ...{ outcome, message, reply_text: Nullable(Text), raw_reply: Nullable(Text), usage: Nullable(Text) },
    ...{ cost_usd, latency_ms: Nullable(Type.Number()), request_id, model_resolved: Nullable(Text) },
  }),
  grade: Closed({
    kind: Type.Enum(['grade'] as const),
    ...{ id: Id, ground_truth: Text, body: Text },
    silent: Bool('A recheck, which answers no request.'),
    answers: Bool('The grade answers its cache key.'),
  }),
  review: Closed({ kind: Type.Enum(['review'] as const), id: Id, body: Text }),
} as const

export type ExportKind = keyof typeof EXPORT_RECORDS
export type RecordOf<K extends ExportKind> = Static<(typeof EXPORT_RECORDS)[K]>
export type ExportRecord = { [K in ExportKind]: RecordOf<K> }[ExportKind]
