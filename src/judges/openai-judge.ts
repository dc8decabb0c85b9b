import OpenAI, { AzureOpenAI, toStreamingFile } from 'openai'
import type { JudgeSettings } from '../config/judges.ts'
import { providerRow } from '../schemas/providers.ts'
import { callBatch, callsOf, idOf, MOST_DETAIL_CHARS, type ResultLine } from './batch.ts'
import { askProvider, failed, LONGEST_CALL_MS, type Sdk, UNKNOWN } from './call.ts'
import { addressOf, describeJudge, placeOf } from './describe.ts'
import { classifyHttp, failure, faultWords, type Place, usageOfFault, wordOf, wordsOf } from './faults.ts'
import type { BatchCalls, BatchState, Judge } from './judge.ts'
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

/** Statuses of an ended batch. An unknown status is no end: the batch is polled again. */
const ENDED: readonly string[] = ['completed', 'expired', 'cancelled']

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
    /** Uploads the lines and submits their file. A file without its batch costs nothing, so only the second call must be found again after a crash. */
    async submit({ id: ours, lines }, signal) {
      const options = { signal, timeout: LONGEST_CALL_MS }
      const file = toStreamingFile(bytesOfLines(lines), `${ours}.jsonl`, { type: 'application/jsonl' })
      const { id } = await calls.files.create({ purpose: 'batch', file }, options)
      const ends = { endpoint: api.path, completion_window: '24h' } as const
      return await batches.create({ input_file_id: id, ...ends, metadata: { [OUR_ID]: ours } }, options)
    },
    retrieve: (id, signal) => batches.retrieve(id, { signal }),
    cancel: (id, signal) => batches.cancel(id, { signal }),
    stateOf,
    /** Opens the output file with the requests that ran, and the error file with the others; either may be missing. */
    async *open({ output_file_id, error_file_id }, signal) {
      for (const file of [output_file_id, error_file_id])
        if (file) yield await downloads.files.content(file, { signal, timeout: LONGEST_CALL_MS })
    },
    replyOf: (line) => replyOfLine(line, api, sdk.place, settings),
    list: (after, signal) =>
      batches.list({ limit: 100, ...(after !== undefined && { after }) }, { signal }).asResponse(),
    createdAt: ({ created_at }) => created_at * 1000,
  })
  return {
    ...own,
    find: (mark, signal) =>
      callBatch(sdk, signal, async () => {
        for await (const batch of recent(mark, signal)) if (batch.metadata?.[OUR_ID] === mark.id) return idOf(batch)
        return null
      }),
  }
}

async function* bytesOfLines(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield `${line}\n`
}

function stateOf({ status, errors }: Batch): BatchState {
  if (typeof status !== 'string') throw new TypeError('the answer is no batch')
  const faults = (errors?.data ?? []).slice(0, 5).map(({ code, message, line }) => {
    const place = typeof line === 'number' ? `line ${line}: ` : ''
    return `${place}${code ?? ''} ${message ?? ''}`.trim()
  })
  return {
    state: status === 'failed' ? 'failed' : ENDED.includes(status) ? 'ended' : 'in_progress',
    detail: [status, ...faults].join('; ').slice(0, MOST_DETAIL_CHARS),
  }
}

/** A line of an output file or an error file as documented; every member is unchecked. */
interface OutputLine extends ResultLine {
  readonly response?: { readonly status_code?: unknown; readonly request_id?: unknown; readonly body?: unknown } | null
  readonly error?: { readonly code?: unknown } | null
}

/** Reads the reply in a line of an output or error file. */
function replyOfLine({ response, error }: OutputLine, api: OpenAiApi, place: Place, settings: JudgeSettings) {
  // The provider never ran the request.
  if (error?.code === 'batch_expired' || error?.code === 'batch_cancelled') return null
  const [status, body] = [response?.status_code, response?.body]
  const request_id = wordOf(response?.request_id)
  if (status === 200) return api.replyOf(body, request_id, settings)
  const reported = faultWords({ body, headers: undefined })
  const words = { ...reported, code: reported.code ?? wordOf(error?.code) }
  const raw = { response, error }
  if (typeof status === 'number' && status >= 300) {
    const fault = { status, headers: undefined, ...words }
    return failed(classifyHttp(fault, place), raw, { ...UNKNOWN, request_id, usage: usageOfFault(fault) })
  }
  const message = `the provider did not run this request of the batch to its end${wordsOf(words)}`
  return failed(failure('judge_unreachable', message), raw, { ...UNKNOWN, request_id })
}
