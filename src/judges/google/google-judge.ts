import type { GoogleGenAI } from '@google/genai'
import type { JudgeSettings } from '../../config/judge-settings.ts'
import type { JudgeReply, JudgeRequest } from '../../ports/judge-ports.ts'
import { loadOptional } from '../../ports/optional-package.ts'
import type { Judge } from '../../ports/ports.ts'
import { askProvider, type Sdk } from '../call.ts'
import { addressOf, describeJudge, placeOf } from '../describe.ts'
import { bodyOf, type Fetch, makeFetch } from '../transport.ts'
import { replyOfGenerate } from './google-reply.ts'
import { buildGenerateRequest } from './google-request.ts'

/** A judge behind the Gemini API (`generateContent`). One call a question; retries are ours, and the SDK makes none unless told to. */
export async function createGoogleJudge(name: string, settings: JudgeSettings, key: string): Promise<Judge> {
  const sdkPackage = await loadOptional('@google/genai', () => import('@google/genai'), `judge ${name}`)
  const client = new sdkPackage.GoogleGenAI({
    apiKey: key,
    // Else variables of the environment decide which of two services gets the key.
    vertexai: false,
    apiVersion: 'v1beta',
    httpOptions: { baseUrl: addressOf(settings) },
  })
  const fetch = makeFetch(settings.concurrency.max)
  const sdk: Sdk = { errors: ERRORS, secret: key, place: placeOf(name, settings) }
  return {
    info: describeJudge(name, settings),
    ask: (request, signal) => askProvider(sdk, signal, () => callGenerate(client, fetch, settings, request, signal)),
  }
}

async function callGenerate(
  client: GoogleGenAI,
  fetch: Fetch,
  settings: JudgeSettings,
  request: JudgeRequest,
  signal: AbortSignal,
): Promise<JudgeReply> {
  const seen: { response?: Response; text?: string; error?: unknown } = {}
  const { config, ...params } = buildGenerateRequest(request, settings)
  try {
    const answer = await client.models.generateContent({
      ...params,
      config: {
        ...config,
        abortSignal: signal,
        automaticContinuation: false,
        httpOptions: { fetch: watched(fetch, seen) },
      },
    })
    const came = { body: JSON.parse(seen.text ?? 'null'), headers: seen.response?.headers, tier: settings.service_tier }
    return replyOfGenerate(answer, came)
  } catch (error) {
    if (seen.error !== undefined) throw new UnansweredError('no answer', { cause: seen.error })
    if (seen.response === undefined || seen.response.ok) throw error
    throw new RefusedError(seen.response)
  }
}

/** The SDK’s own errors hold the body as a text and no headers; so what came is kept beside it. */
const watched =
  (fetch: Fetch, seen: { response?: Response; text?: string; error?: unknown }): Fetch =>
  async (input, init) => {
    try {
      const response = await fetch(input, init)
      seen.response = response
      seen.text = await response.clone().text()
      return response
    } catch (error) {
      seen.error = error
      throw error
    }
  }

/** An HTTP error, in the form that the other SDKs have for theirs. */
class RefusedError extends Error {
  readonly status: number
  readonly headers: Headers
  readonly error: unknown

  constructor({ status, headers }: Response) {
    super(`HTTP ${status}`)
    this.status = status
    this.headers = headers
    this.error = parsed(bodyOf(headers))
  }
}

class UnansweredError extends Error {}

/** Nothing throws it: the signal itself tells what broke a call off. */
class BrokenOffError extends Error {}

const ERRORS: Sdk['errors'] = {
  APIError: RefusedError,
  APIConnectionError: UnansweredError,
  APIConnectionTimeoutError: BrokenOffError,
  APIUserAbortError: BrokenOffError,
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
