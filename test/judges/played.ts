import type { IncomingHttpHeaders } from 'node:http'
import { loadConfig } from '../../src/config/config.ts'
import { buildModelJudges } from '../../src/judges/build-judges.ts'
import type { Judge } from '../../src/judges/judge.ts'
import type { Provider } from '../../src/schemas/providers.ts'
import { serve } from '../local-server.ts'

export const SECRET = 'sk-planted-key-1234567890'

/** Configuration of a judge of each provider, whose API the test plays at `origin`. */
const SETTINGS: Readonly<Record<Provider, (origin: string) => object>> = {
  openai: (origin) => ({ base_url: `${origin}/v1`, model: 'gpt-x' }),
  anthropic: (origin) => ({ base_url: origin, model: 'claude-x' }),
  google: (origin) => ({ base_url: origin, model: 'gemini-x' }),
  azure: (origin) => ({ base_url: origin, model: 'my-deployment' }),
  bedrock: (origin) => ({ base_url: origin, model: 'anthropic.claude-x', region: 'eu-west-1' }),
  vertex: (origin) => ({ base_url: `${origin}/v1`, model: 'claude-x', region: 'europe-west1', project: 'my-project' }),
}

/** Makes the judge `tested` from a configuration file. */
export async function judgeAt(provider: Provider, origin: string, more: object = {}): Promise<Judge> {
  const key = provider === 'bedrock' || provider === 'vertex' ? {} : { key_env: 'TESTED_KEY' }
  const file = { judges: { tested: { provider, ...key, ...SETTINGS[provider](origin), ...more } } }
  const env = { VERIDICT_CONFIG: 'v.json', TESTED_KEY: SECRET }
  const { config, secrets } = loadConfig(env, () => JSON.stringify(file))
  const { judges, unready } = await buildModelJudges(config.judges, secrets)
  const judge = judges.get('tested')
  if (judge === undefined) throw new Error(unready.get('tested'))
  return judge
}

/** Environment with the credentials that the SDKs of Amazon and Google find: variables, and a metadata server at `metadata`. */
export function cloudCredentials(metadata: string): Readonly<Record<string, string>> {
  return {
    AWS_ACCESS_KEY_ID: 'AKIAPLANTED',
    AWS_SECRET_ACCESS_KEY: 'planted-secret-access-key',
    AWS_SESSION_TOKEN: SECRET,
    GCE_METADATA_HOST: new URL(metadata).host,
    METADATA_SERVER_DETECTION: 'assume-present',
    // Without this variable, the SDK of Google runs the gcloud of the machine in a separate process for every judge.
    GOOGLE_CLOUD_PROJECT: 'my-project',
  }
}

export interface Played {
  readonly status?: number
  readonly body: unknown
  /** Raw text of the response, in place of the body. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** Starts a provider on loopback that gives every question the same answer, and the metadata server of Google, which returns a token. */
export async function play(answer: Played | 'hang'): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const origin = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url ?? ''
    if (path.startsWith('/computeMetadata/')) {
      response.writeHead(200, { 'content-type': 'application/json', 'metadata-flavor': 'Google' })
      return void response.end(JSON.stringify({ access_token: SECRET, expires_in: 3600, token_type: 'Bearer' }))
    }
    asked.push({ path, headers: request.headers, body: JSON.parse(text) as Record<string, unknown> })
    if (answer === 'hang') return
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.text ?? JSON.stringify(answer.body))
  })
  return { origin, asked }
}
