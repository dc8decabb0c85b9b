import type Anthropic from '@anthropic-ai/sdk'
import type { Answered, BatchApi, SubmissionMark } from '../../ports/batch-api.ts'
import { callBatch, createdSince, idOf, NO_BATCHES } from '../batch-calls.ts'
import type { Sdk } from '../call.ts'
import { failure } from '../failures.ts'

/** A batch of the right age and size. */
interface Candidate {
  readonly id: string
  readonly ended: boolean
}

/** One of the right age and size runs still, and what it holds cannot be read before it has ended. */
const NOT_YET_KNOWN = {
  ok: false,
  failure: failure('judge_unreachable', 'a batch that may be this one has not ended: only its results tell'),
} as const

/**
 * Message Batches carry no id of ours. Those of the right age and size are told apart by their results, whose custom ids are ours
 * alone; so one that runs is no answer yet, even where it is the only one: another submission of the same size may be it, and to
 * take that for this one would be to cancel, or to wait for, what is not ours.
 */
export async function findMessageBatch(
  client: Anthropic,
  sdk: Sdk,
  mark: SubmissionMark,
  signal: AbortSignal,
  results: BatchApi['results'],
): Promise<Answered<{ provider_id: string | null }>> {
  const listed = await callBatch(sdk, signal, NO_BATCHES, async () => ({
    candidates: await listCandidates(client, sdk, mark, signal),
  }))
  if (!listed.ok) return listed
  const ours = new Set(mark.custom_ids)
  let unknown: Extract<Answered<object>, { ok: false }> | null = null
  for (const batch of listed.candidates) {
    const held = batch.ended ? await holds(results(batch.id, signal), ours) : NOT_YET_KNOWN
    if (!held.ok) unknown ??= held
    else if (held.holds) return { ok: true, provider_id: batch.id }
  }
  return unknown ?? { ok: true, provider_id: null }
}

async function listCandidates(
  client: Anthropic,
  sdk: Sdk,
  mark: SubmissionMark,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const candidates: Candidate[] = []
  const recent = createdSince<Anthropic.Messages.MessageBatch>(
    mark.recorded_at,
    (one) => Date.parse(one.created_at),
    (after_id) =>
      client.messages.batches
        .list({ limit: 100, ...(after_id !== undefined && { after_id }) }, { signal })
        .asResponse(),
  )
  for await (const batch of recent) {
    const { processing, succeeded, errored, canceled, expired } = batch.request_counts
    if (processing + succeeded + errored + canceled + expired === mark.custom_ids.length)
      candidates.push({ id: idOf(batch, sdk.secret), ended: batch.processing_status === 'ended' })
  }
  return candidates
}

/** The first readable result decides: every id of a batch is ours, or none is. */
async function holds(
  results: ReturnType<BatchApi['results']>,
  ours: ReadonlySet<string>,
): Promise<Answered<{ holds: boolean }>> {
  let last: Answered<{ holds: boolean }> = { ok: true, holds: false }
  for await (const result of results) {
    if (result.ok) return { ok: true, holds: ours.has(result.custom_id) }
    last = result
  }
  return last
}
