import { isStandardTier } from '../domain/money/price.ts'
import type { JudgeReply, ReplyDetails } from '../ports/judge-ports.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import { failure } from './failures.ts'

const MOST_RAW_CHARS = 1_000_000

/** Throws a TypeError where the text is none: a provider’s types are a promise, not a fact. */
export function answered(text: string, body: unknown, about: ReplyDetails): JudgeReply {
  if (typeof text !== 'string') throw new TypeError('the text of the answer is not text')
  return { ok: true, text, raw: rawOf(body), ...about }
}

export const failed = (
  code: Parameters<typeof failure>[0],
  message: string,
  body: unknown,
  about: ReplyDetails,
): JudgeReply => ({ ok: false, failure: failure(code, message), raw: rawOf(body), ...about })

/** Token counts as they were reported; null where one of them is not a count. */
export function usageFrom(input: unknown, output: unknown, cacheRead: unknown, cacheWrite: unknown): Usage | null {
  if (!isCount(input) || !isCount(output) || !isCount(cacheRead) || !isCount(cacheWrite)) return null
  return { input_tokens: input, output_tokens: output, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** A count as it was reported; nothing where it is none. */
export const countOf = (value: unknown): number => (isCount(value) ? value : 0)

/**
 * The service tier for a call record: nothing where none was asked for and the usual one served. `unknown`, which no price has, where
 * another was asked for and the provider does not say what it served.
 */
export function servedTier(asked: string | undefined, served: unknown): { readonly service_tier?: string } {
  const word = typeof served === 'string' && /^[a-z_]{1,40}$/.test(served) ? served : null
  if (word !== null) return asked === undefined && isStandardTier(word) ? {} : { service_tier: word }
  if (asked === undefined) return {}
  return { service_tier: isStandardTier(asked) ? asked : 'unknown' }
}

/** What came with an error, word for word; written anew only where that shows the secret in what its escapes hide. */
export function bodyAsItCame(text: string | null, secret: string): string | null {
  if (text === null || text.length > MOST_RAW_CHARS) return text?.slice(0, MOST_RAW_CHARS) ?? null
  try {
    const again = JSON.stringify(JSON.parse(text))
    return again.split(secret).length > text.split(secret).length ? again : text
  } catch {
    return text
  }
}

/** A body as it is kept: whole, up to a size that no honest answer reaches. */
export function rawOf(body: unknown): string {
  try {
    const text = JSON.stringify(body) ?? ''
    return text.length > MOST_RAW_CHARS ? text.slice(0, MOST_RAW_CHARS) : text
  } catch {
    // It was parsed from JSON, so that only its depth can be at fault: parsing is iterative, writing is not.
    return '"(nested too deeply to be kept)"'
  }
}

/** Shorter ones stand in any text by chance: taking them out would change what the judge said. No provider has such keys. */
const SHORTEST_SECRET = 8

/** The secret is in nothing that is kept, whatever a provider echoes; nor is its beginning, where a text was cut within it. */
export function redact(text: string, secret: string): string {
  if (secret.length < SHORTEST_SECRET) return text
  const clean = text.split(secret).join('[key]')
  for (let most = secret.length - 1; most >= SHORTEST_SECRET; most--)
    if (clean.endsWith(secret.slice(0, most))) return `${clean.slice(0, -most)}[key]`
  return clean
}

export const redactFailure = (fault: Failure, secret: string): Failure => ({
  ...fault,
  message: redact(fault.message, secret),
})

export function redactReply(reply: JudgeReply, secret: string): JudgeReply {
  const clean = (text: string | null) => (text === null ? null : redact(text, secret))
  const about = { model_resolved: clean(reply.model_resolved), request_id: clean(reply.request_id) }
  return reply.ok
    ? { ...reply, ...about, text: redact(reply.text, secret), raw: redact(reply.raw, secret) }
    : { ...reply, ...about, failure: redactFailure(reply.failure, secret), raw: clean(reply.raw) }
}
