import type { JudgeSettings } from '../config/judges.ts'
import { loadOptional } from '../config/optional-package.ts'
import { type MessagesClient, messagesJudge } from './anthropic-judge.ts'
import type { Sdk } from './call.ts'
import { addressOf, placeOf } from './describe.ts'
import type { Judge } from './judge.ts'
import { type Fetch, makeFetch } from './transport.ts'

/**
 * Creates a judge of Anthropic's models at Amazon. Without a key (a Bedrock API key) the SDK searches AWS credentials in the places of
 * Amazon's own programs.
 */
export async function createBedrockJudge(name: string, settings: JudgeSettings, key: string): Promise<Judge> {
  const { AnthropicBedrock } = await loadOptional(
    '@anthropic-ai/bedrock-sdk',
    () => import('@anthropic-ai/bedrock-sdk'),
    `judge ${name}`,
  )
  const sent = new SentSecrets(settings)
  const client = new AnthropicBedrock({
    ...common(settings, sent),
    ...(key !== '' && { apiKey: key }),
    awsRegion: settings.region,
  })
  return messagesJudge(client.messages, sdkOf(AnthropicBedrock, sent, name, settings), name, settings)
}

/** Creates a judge of Anthropic's models at Google, with the Application Default Credentials. */
export async function createVertexJudge(name: string, settings: JudgeSettings): Promise<Judge> {
  const { AnthropicVertex } = await loadOptional(
    '@anthropic-ai/vertex-sdk',
    () => import('@anthropic-ai/vertex-sdk'),
    `judge ${name}`,
  )
  const sent = new SentSecrets(settings)
  const options = { ...common(settings, sent), region: settings.region ?? null, projectId: settings.project ?? null }
  // A client searches credentials as soon as it is made, even unused, and never again after a failure.
  let client: InstanceType<typeof AnthropicVertex> | null = null
  const asking: MessagesClient = {
    async create(body, call) {
      if (call?.signal?.aborted === true) throw new AnthropicVertex.APIUserAbortError()
      client ??= new AnthropicVertex(options)
      try {
        return await client.messages.create(body, call)
      } catch (error) {
        if (error instanceof AnthropicVertex.APIConnectionError) client = null
        throw error
      }
    },
  }
  return messagesJudge(asking, sdkOf(AnthropicVertex, sent, name, settings), name, settings)
}

const common = (settings: JudgeSettings, { fetch }: SentSecrets) =>
  ({ baseURL: addressOf(settings), maxRetries: 0, fetch, logLevel: 'off' }) as const

const sdkOf = (errors: Sdk['errors'], sent: SentSecrets, name: string, settings: JudgeSettings): Sdk => ({
  errors,
  get secret() {
    return sent.last
  },
  place: placeOf(name, settings),
})

/** Keeps the token that the SDK itself found and sent last, so that it can be redacted. A secret access key is never sent. */
class SentSecrets {
  last = ''
  readonly fetch: Fetch

  constructor({ concurrency }: JudgeSettings) {
    const send = makeFetch(concurrency.max)
    this.fetch = (input, init) => {
      const headers = new Headers(init?.headers)
      const bearer = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1]
      this.last = headers.get('x-amz-security-token') ?? bearer ?? ''
      return send(input, init)
    }
  }
}
