import type { JudgeSettings } from '../config/judges.ts'
import { loadOptional } from '../config/optional-package.ts'
import { type MessagesClient, messagesJudge } from './anthropic-judge.ts'
import { makeFetch } from './call.ts'
import { addressOf } from './describe.ts'
import type { Judge } from './judge.ts'

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
  const client = new AnthropicBedrock({
    ...common(settings),
    ...(key !== '' && { apiKey: key }),
    awsRegion: settings.region,
  })
  return messagesJudge(client.messages, name, settings)
}

/** Creates a judge of Anthropic's models at Google, with the Application Default Credentials. */
export async function createVertexJudge(name: string, settings: JudgeSettings): Promise<Judge> {
  const { AnthropicVertex } = await loadOptional(
    '@anthropic-ai/vertex-sdk',
    () => import('@anthropic-ai/vertex-sdk'),
    `judge ${name}`,
  )
  const options = { ...common(settings), region: settings.region ?? null, projectId: settings.project ?? null }
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
  return messagesJudge(asking, name, settings)
}

const common = (settings: JudgeSettings) =>
  ({
    baseURL: addressOf(settings),
    maxRetries: 0,
    fetch: makeFetch(settings.concurrency.max),
    logLevel: 'off',
  }) as const
