import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import { FewAnswers, once } from '../domain/result.ts'
import { parseJson } from '../domain/text/json.ts'
import { providerRow } from '../schemas/providers.ts'
import type { FailureCode } from '../schemas/vocabulary.ts'
import { classifyHttp, failure, faultWords, NOTHING_USED, type Place, usageOfFault } from './faults.ts'
import type { Answer, JudgeReply } from './judge.ts'

type Fetch = typeof globalThis.fetch

/** Bounds a kept answer, at a size that no honest answer reaches. */
const MOST_RAW_CHARS = 1_000_000
/** Bounds the reply to one call. */
const MOST_REPLY_BYTES = 4 * 1024 * 1024
/** Connections beside those of the questions. */
const BATCH_CONNECTIONS = 4

/** The explicit time limit that SDKs need for long calls without streaming; the caller's signal ends a call earlier. */
export const LONGEST_CALL_MS = 30 * 60_000

/** The last HTTP exchange of a call through an SDK, as it went over the wire, without the credentials that it carried. */
export interface Exchange {
  /** Null: no answer came. */
  status: number | null
  headers: Headers
  text: string | null
  error: unknown
  /** Removes the credentials that the request carried, whatever of their characters are JSON escapes. */
  clean: (text: string) => string
}

const NO_EXCHANGE = { status: null, text: null, error: null, clean: (text: string) => text }
export const openExchange = (): Exchange => ({ ...NO_EXCHANGE, headers: new Headers() })
const exchanges = new AsyncLocalStorage<Exchange>()
/** Does work whose calls through `makeFetch` are noted in the exchange. */
export const within = <T>(exchange: Exchange, work: () => Promise<T>): Promise<T> => exchanges.run(exchange, work)

/** The headers by which a client asks for a file of any size, which is streamed. */
export const AS_FILE = { accept: 'application/binary' }

/** Makes the `fetch` of a judge: spare connections (no call waits for a closing one), answers read whole, no redirects: a key stays at its origin. */
export function makeFetch(calls: number): Fetch {
  const options = { connections: Math.ceil(calls * 1.25) + BATCH_CONNECTIONS, headersTimeout: LONGEST_CALL_MS }
  const [forAnswers, forFiles] = [new Agent({ ...options, maxResponseSize: MOST_REPLY_BYTES }), new Agent(options)]
  return async (input, init = {}) => {
    const exchange = exchanges.getStore() ?? openExchange()
    const sent = new Headers(init.headers)
    const isFile = sent.get('accept') === AS_FILE.accept
    Object.assign(exchange, openExchange(), { clean: withoutSecret(secretOf(sent)) })
    try {
      const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input)
      const { statusCode, headers, body } = await (isFile ? forFiles : forAnswers).request({
        origin,
        path: pathname + search,
        method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
        headers: [...sent, ['accept-encoding', 'identity']].flat(),
        body: (init.body ?? null) as string | null,
        signal: init.signal ?? null,
      })
      exchange.status = statusCode
      exchange.headers = new Headers(
        Object.entries(headers).flatMap(([name, value = []]) =>
          [value].flat().map((one): [string, string] => [name, exchange.clean(one)]),
        ),
      )
      const answer = { status: statusCode, headers: exchange.headers }
      if (isFile && statusCode < 300) return new Response(Readable.toWeb(body) as ReadableStream, answer)
      // The body of an error may have no end.
      if (isFile) body.on('error', () => undefined).destroy()
      else exchange.text = exchange.clean(await body.text())
      // A Response of some statuses cannot have a body, not even an empty one.
      return new Response(exchange.text || null, answer)
    } catch (error) {
      exchange.error = error
      throw error
    }
  }
}

/** Shortest secret that is removed: a shorter one occurs in texts by chance. No provider has such keys. */
const SHORTEST_SECRET = 8

/** Secrets whose patterns are kept. */
const MOST_SECRETS = 32

/** Finds the secret that a request carries. AWS sends a signature and a token, never its secret key. */
function secretOf(sent: Headers): string {
  const bearer = /^Bearer (\S+)$/.exec(sent.get('authorization') ?? '')?.[1]
  return sent.get('x-amz-security-token') ?? sent.get('x-api-key') ?? sent.get('api-key') ?? bearer ?? ''
}

/** Makes the function that removes a secret from texts. The requests of a judge carry the same secret, for an hour at least. */
const withoutSecret = once((secret: string): ((text: string) => string) => {
  if (secret.length < SHORTEST_SECRET) return (text) => text
  const digits = Array.from(Buffer.from(secret), (byte) => byte.toString(16).padStart(2, '0'))
  const spelled = new RegExp(
    digits.map((hex) => `(?:${hex === '2f' ? '\\\\?' : ''}\\x${hex}|\\\\u00${hex})`).join(''),
    'gi',
  )
  return (text) => text.replace(spelled, '[key]')
}, new FewAnswers(MOST_SECRETS))

/** Cuts an answer to be kept. */
export const rawOf = (text: string): string => text.slice(0, MOST_RAW_CHARS)

/** Asks a judge, and turns an error into a failed reply. */
export async function askProvider(place: Place, signal: AbortSignal, ask: () => Promise<Answer>): Promise<JudgeReply> {
  const exchange = openExchange()
  try {
    const answer = await within(exchange, ask)
    return { ...answer, raw: rawOf(exchange.text ?? ''), request_id: requestIdOf(exchange) }
  } catch (error) {
    const raw = exchange.text === null ? null : rawOf(exchange.text)
    const fault = faultOf(exchange, error, place, signal)
    return { ok: false, ...fault, model_resolved: null, raw, request_id: requestIdOf(exchange) }
  }
}

const requestIdOf = ({ headers }: Exchange): string | null =>
  headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('x-amzn-requestid')

/** Describes the error of an SDK by the exchange, never by its class or prose; usage: known where the provider or the way to it tells that there was none. */
export function faultOf(exchange: Exchange, error: unknown, place: Place, signal: AbortSignal) {
  const { status, headers, text } = exchange
  const fault = (code: FailureCode, message: string, isUnused = false) => {
    return { failure: failure(code, message), usage: isUnused ? { ...NOTHING_USED } : null }
  }
  const isOver = (exchange.error as Error | null)?.name === 'AbortError'
  if (signal.aborted ? (signal.reason as Error | undefined)?.name === 'TimeoutError' : isOver)
    return fault(
      'timeout',
      `${place.host} did not answer in time: ask the judge ${place.judge} less at once (concurrency), or raise retry.call_timeout_ms`,
    )
  if (signal.aborted) return fault('cancelled', 'the call was cancelled')
  if (status !== null && status >= 300) {
    const refused = { status, headers, ...faultWords(parseJson(text ?? ''), headers) }
    return { failure: classifyHttp(refused, place), usage: usageOfFault(refused) }
  }
  const code = codeOf(exchange.error ?? error)
  if (status !== null && code !== TOO_LONG)
    return fault('judge_unreachable', `the answer of ${place.host} was cut off or is not what its API promises`)
  if (exchange.error !== null || code !== null)
    return fault('judge_unreachable', tellUnreachable(code, place), neverSent(code))
  // An SDK that finds its own credentials fails without them before it asks.
  if (place.key_env === null) {
    const { credentials = 'credentials' } = providerRow(place.provider)
    return fault('authentication', `there are no ${credentials} for the judge ${place.judge}`, true)
  }
  return fault('internal', `the provider’s SDK threw ${(error as Error)?.name ?? 'something'}`)
}

/** Returns the code of a connection's error, or of its nearest cause with one. */
function codeOf(error: unknown, depth = 5): string | null {
  if (depth === 0 || !(error instanceof Error)) return null
  const { code, cause } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : codeOf(cause, depth - 1)
}

const TOO_LONG = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
const NO_HOST: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN']
const NO_WAY: readonly string[] = ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']
const TLS = /^(?:CERT_|ERR_TLS_|ERR_SSL_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH$)/

/** Tells whether the request never left this machine, so that the provider charges nothing. */
const neverSent = (code: string | null): boolean =>
  code !== null && code !== 'ETIMEDOUT' && (['ECONNREFUSED', ...NO_HOST, ...NO_WAY].includes(code) || TLS.test(code))

/** Words a failed connection, by the code of Node.js or undici. */
function tellUnreachable(code: string | null, { host, judge }: Place): string {
  const base = `base_url of the judge ${judge}`
  if (code === 'ECONNREFUSED') return `nothing listens at ${host}: start the server there, or check ${base}`
  if (NO_HOST.includes(code ?? '')) return `no address is known for ${host}: check ${base}, and the DNS of this machine`
  if (NO_WAY.includes(code ?? ''))
    return `there is no way to ${host} (${code}): check network, proxy and firewall, and ${base}`
  if (code === TOO_LONG)
    return `${host} answered with more bytes than a reply may have: check base_url and the output limit of the judge ${judge}`
  return TLS.test(code ?? '')
    ? `${host} shows no certificate that this machine trusts (${code}): check ${base}, or name the authority in NODE_EXTRA_CA_CERTS`
    : `no connection to ${host}: check ${base}, and the network`
}
