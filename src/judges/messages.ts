import { isStandardTier } from '../domain/money/price.ts'
import { picturesNote } from '../domain/rubric/prompt.ts'
import type { Picture } from '../domain/trajectory/trajectory.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import { failure } from './faults.ts'
import type { JudgeRequest, ReplyDetails } from './judge.ts'

/** Lists the trajectory as parts of a provider's API: its text, and its pictures, each behind its label, and all behind the note that explains them. */
export const sharedParts = <Part>(
  { trajectory, images, evidence }: JudgeRequest,
  ofText: (text: string) => Part,
  ofPicture: (picture: Picture) => Part,
): Part[] => [
  ofText(trajectory),
  ...(images.length === 0 ? [] : [ofText(picturesNote(evidence.rubric))]),
  ...images.flatMap(({ label, picture }) => [ofText(label), ofPicture(picture)]),
]

/** Lists the rejected answers of a judge, each with its complaint, as turns of a conversation. `silence` stands for an empty answer. */
export const repairTurns = ({ repairs }: JudgeRequest, silence = '') =>
  repairs.flatMap(({ answer, complaint }) => [
    { role: 'assistant' as const, content: answer === '' ? silence : answer },
    { role: 'user' as const, content: complaint },
  ])

type About = Omit<ReplyDetails, 'request_id'>
/** An answer as its API reads it; the exchange that brought the answer knows its raw text and its id. */
export type Answer = About &
  ({ readonly ok: true; readonly text: string } | { readonly ok: false; readonly failure: Failure })

/** Makes an answer. Throws a TypeError where the text is no text: a provider's types are not checked. */
export function answered(text: string, about: About): Answer {
  if (typeof text !== 'string') throw new TypeError('the text of the answer is not text')
  return { ok: true, text, ...about }
}

/** The ways in which a model ends without an answer. */
const ENDS = {
  refusal: failure('refused', 'the model refused to answer'),
  filter: failure('refused', 'the provider’s filter stopped the answer'),
  limit: failure('truncated', 'the answer reached the output limit'),
  window: failure('context_overflow', 'the request and its answer do not fit the model’s window'),
  broken: failure('judge_unreachable', 'the provider failed while it answered'),
  empty: failure('judge_unreachable', 'the provider answered without a choice'),
  unknown: failure('internal', 'the model stopped for a reason that this version does not know'),
} as const

export const ended = (end: keyof typeof ENDS, about: About): Answer => ({ ok: false, failure: ENDS[end], ...about })

/** Reads reported token counts; null if a value is no count. */
export function usageFrom(input: unknown, output: unknown, cacheRead: unknown, cacheWrite: unknown): Usage | null {
  if (!isCount(input) || !isCount(output) || !isCount(cacheRead) || !isCount(cacheWrite)) return null
  return { input_tokens: input, output_tokens: output, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Reads a reported count; 0 for any other value. */
export const countOf = (value: unknown): number => (isCount(value) ? value : 0)

/** Reads the service tier of a call for its record: absent for the usual tier. The cost of a call of another tier is unknown. */
export const servedTier = (served: unknown): { readonly service_tier?: string } =>
  typeof served === 'string' && /^[a-z_]{1,40}$/.test(served) && !isStandardTier(served) ? { service_tier: served } : {}
