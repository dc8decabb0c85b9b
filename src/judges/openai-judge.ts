import OpenAI, { AzureOpenAI, toStreamingFile } from 'openai'
import type { JudgeSettings } from '../config/judges.ts'
import type { BatchCalls, BatchResult, BatchState, Judge, JudgeReply, Submission } from '../ports/judge.ts'
import { providerRow } from '../schemas/providers.ts'
import { callBatch, callsOf, idOf, MOST_DETAIL_CHARS, type ResultLine, replyOrFailure, UNKNOWN } from './batch.ts'
import { askProvider, countOf, failed, LONGEST_CALL_MS, refusedReply, type Sdk } from './call.ts'
import { addressOf, describeJudge, placeOf } from './describe.ts'
import { faultWords, type Place, usageOfFault, wordOf, wordsOf } from './faults.ts'
import { type OpenAiApi, openAiApi } from './openai-api.ts'
import { makeBatchFetch, makeDownloadFetch, makeFetch } from './transport.ts'

/** Options common to all clients. Veridict retries by itself, so the SDK's retries are off. */
const common = ({ concurrency }: JudgeSettings) =>
  ({
    maxRetries: 0,
    fetch: makeFetch(concurrency.max),
    organization: null,
    project: null,
    logLevel: 'off',
  }) as const

/**
 * Creates a judge behind OpenAI's API or any compatible server. A server without batches answers their calls with an error, as for any
 * unknown path.
 */
export const createOpenAiJudge = (name: string, settings: JudgeSettings, key: string): Judge =>
  judgeOf(new OpenAI({ ...common(settings), apiKey: key, baseURL: addressOf(settings) }), name, settings, key)

/** The variable whose value is a token of Microsoft Entra instead of a key of the resource. */
const ENTRA_TOKEN = 'AZURE_OPENAI_AD_TOKEN'

/** Makes a judge of a resource of Azure, which names a model by its deployment. */
export function createAzureJudge(name: string, settings: JudgeSettings, key: string): Judge {
  // An empty key: the SDK would read the environment's key, and reject both.
  const credential =
    settings.key_env === ENTRA_TOKEN ? { apiKey: '', azureADTokenProvider: async () => key } : { apiKey: key }
  const client = new AzureOpenAI({
    ...common(settings),
    ...credential,
    baseURL: `${addressOf(settings)
      .replace(/\/+$/, '')
      .replace(/\/openai$/, '')}/openai`,
    apiVersion: settings.api_version,
  })
  return judgeOf(client, name, settings, key)
}

function judgeOf(client: OpenAI, name: string, settings: JudgeSettings, key: string): Judge {
  const sdk: Sdk = { errors: OpenAI, secret: key, place: placeOf(name, settings) }
  const api = openAiApi(settings)
  const judge: Judge = {
    info: describeJudge(name, settings),
    ask: (request, signal) =>
      askProvider(sdk, signal, async () => {
        const body = api.buildBody(request, settings)
        const answer = await client.post<WithId>(api.path.slice('/v1'.length), { body, signal })
        return api.replyOf(answer, answer?._request_id ?? null, settings)
      }),
  }
  const { batches } = providerRow(settings.provider)
  if (batches === null) return judge
  return { ...judge, batch: { ...batches, ...createOpenAiBatch(client, sdk, settings) } }
}

/** An answer of a single call, with the id that the SDK adds. */
type WithId = { readonly _request_id?: string | null } | null

type Batch = OpenAI.Batches.Batch

/** The field of a batch's metadata that holds the submission's id. */
const OUR_ID = 'veridict'

/** States other than `in_progress`. An unknown status is no end: the batch is polled again. */
const STATES: ReadonlyMap<string, BatchState['state']> = new Map([
  ['failed', 'failed'],
  ['completed', 'ended'],
  ['expired', 'ended'],
  ['cancelled', 'ended'],
])

/**
 * Makes the calls of OpenAI's batch endpoint: a file of requests is uploaded, a batch is made of it, and two files are downloaded, by a
 * client of their own, because they may be of any size.
 */
function createOpenAiBatch(client: OpenAI, sdk: Sdk, settings: JudgeSettings): BatchCalls {
  const api = openAiApi(settings)
  const calls = client.withOptions({ fetch: makeBatchFetch() })
  const downloads = client.withOptions({ fetch: makeDownloadFetch() })
  const { batches } = calls
  const { recent, ...own } = callsOf<Batch>(sdk, {
    envelope: (request) => ({ method: 'POST', url: api.path, body: api.buildBody(request, settings) }),
    submit: (submission, signal) => submit(calls, api, submission, signal),
    retrieve: (id, signal) => batches.retrieve(id, { signal }),
    cancel: (id, signal) => batches.cancel(id, { signal }),
    stateOf,
    /** Opens the output file with the requests that ran, and the error file with the others; either may be missing. */
    async *open({ output_file_id, error_file_id }, signal) {
      for (const file of [output_file_id, error_file_id])
        if (file) yield await downloads.files.content(file, { signal, timeout: LONGEST_CALL_MS })
    },
    resultOf: (line) => resultOfOutput(line, api, sdk.place, settings),
    list: (after, signal) =>
      batches.list({ limit: 100, ...(after !== undefined && { after }) }, { signal }).asResponse(),
    createdAt: ({ created_at }) => created_at * 1000,
  })
  return {
    ...own,
    find: (mark, signal) =>
      callBatch(sdk, signal, async () => {
        for await (const batch of recent(mark, signal))
          if (batch.metadata?.[OUR_ID] === mark.id) return { provider_id: idOf(batch) }
        return { provider_id: null }
      }),
  }
}

/** Submits a batch. A file without its batch costs nothing, so only the second call must be found again after a crash. */
async function submit(
  client: OpenAI,
  api: OpenAiApi,
  { id: ours, lines }: Submission,
  signal: AbortSignal,
): Promise<Batch> {
  const file = toStreamingFile(bytesOfLines(lines), `${ours}.jsonl`, { type: 'application/jsonl' })
  const options = { signal, timeout: LONGEST_CALL_MS }
  const { id } = await client.files.create({ purpose: 'batch', file }, options)
  const batch = {
    input_file_id: id,
    endpoint: api.path,
    completion_window: '24h',
    metadata: { [OUR_ID]: ours },
  } as const
  return await client.batches.create(batch, options)
}

async function* bytesOfLines(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`
}

function stateOf({ status, errors, request_counts: counts }: Batch): BatchState {
  if (typeof status !== 'string') throw new TypeError('the answer is no batch')
  const faults = (errors?.data ?? []).slice(0, 5).map(({ code, message, line }) => {
    const place = typeof line === 'number' ? `line ${line}: ` : ''
    return `${place}${code ?? ''} ${message ?? ''}`.trim()
  })
  return {
    state: STATES.get(status) ?? 'in_progress',
    detail: [status, ...faults].join('; ').slice(0, MOST_DETAIL_CHARS),
    completed: countOf(counts?.completed) + countOf(counts?.failed),
    total: countOf(counts?.total),
  }
}

/** A line of an output file or an error file as documented; every member is unchecked. */
interface OutputLine extends ResultLine {
  readonly response?: { readonly status_code?: unknown; readonly request_id?: unknown; readonly body?: unknown } | null
  readonly error?: { readonly code?: unknown } | null
}

/** Codes of requests that the provider never ran. */
const NEVER_RUN: ReadonlyMap<string | null, 'expired' | 'cancelled'> = new Map([
  ['batch_expired', 'expired'],
  ['batch_cancelled', 'cancelled'],
])

/** Reads the result in a line of an output or error file. */
function resultOfOutput(line: ResultLine, api: OpenAiApi, place: Place, settings: JudgeSettings): BatchResult {
  const { custom_id, response, error } = line as OutputLine
  const end = NEVER_RUN.get(wordOf(error?.code))
  if (end !== undefined) return { custom_id, end, reply: null }
  const body = response?.body
  const requestId = wordOf(response?.request_id)
  const status = response?.status_code
  const reply =
    status === 200
      ? replyOrFailure(body, requestId, () => api.replyOf(body, requestId, settings))
      : refused(typeof status === 'number' && status >= 300 ? status : null, line as OutputLine, requestId, place)
  return { custom_id, end: 'answered', reply }
}

function refused(
  status: number | null,
  { response, error }: OutputLine,
  request_id: string | null,
  place: Place,
): JudgeReply {
  const reported = faultWords({ body: response?.body, headers: undefined })
  const words = { ...reported, code: reported.code ?? wordOf(error?.code) }
  const about = { ...UNKNOWN, request_id }
  const raw = { response, error }
  if (status !== null) {
    const fault = { status, headers: undefined, ...words }
    return refusedReply(fault, place, raw, { ...about, usage: usageOfFault(fault) })
  }
  const message = `the provider did not run this request of the batch to its end${wordsOf(words)}`
  return failed('judge_unreachable', message, raw, about)
}
