import type { JudgeSettings } from '../config/judge-settings.ts'
import { missingVariables } from '../config/provider-judges.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Judge } from '../ports/ports.ts'
import { PROVIDER_NAMES, type Provider, providerRow } from '../schemas/providers.ts'
import { describeJudge } from './describe.ts'
import { lazyJudge } from './lazy-judge.ts'

interface ModelJudges {
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with what to do to have them. */
  readonly unready: ReadonlyMap<string, string>
}

type CreateJudge = (name: string, settings: JudgeSettings, key: string) => Judge | Promise<Judge>

/** The adapter of each provider. */
const ADAPTERS: Readonly<Record<Provider, () => Promise<CreateJudge>>> = {
  openai: async () => (await import('./openai/openai-judge.ts')).createOpenAiJudge,
  azure: async () => (await import('./openai/openai-judge.ts')).createAzureJudge,
  anthropic: async () => (await import('./anthropic/anthropic-judge.ts')).createAnthropicJudge,
  bedrock: async () => (await import('./anthropic/cloud-judges.ts')).createBedrockJudge,
  vertex: async () => (await import('./anthropic/cloud-judges.ts')).createVertexJudge,
  google: async () => (await import('./openai/openai-judge.ts')).createOpenAiJudge,
}

/** The configured model judges and those of the providers, by name. */
export async function buildModelJudges(
  configured: Readonly<Record<string, JudgeSettings>>,
  secrets: Secrets,
): Promise<ModelJudges> {
  const judges = new Map<string, Judge>()
  const unready = new Map<string, string>()
  for (const [name, settings] of Object.entries(configured)) {
    const key = settings.key_env === null ? '' : secrets.key(settings.key_env)
    const built = key === undefined ? setVariables([settings.key_env ?? '']) : await build(name, settings, key)
    if (typeof built === 'string') unready.set(name, built)
    else judges.set(name, built)
  }
  for (const provider of PROVIDER_NAMES) {
    if (configured[provider] !== undefined) continue
    unready.set(provider, setVariables(missingVariables(provider, (variable) => secrets.key(variable) !== undefined)))
  }
  return { judges, unready }
}

/** The judge; or what to install, where it needs a package that Veridict does without: other judges do not need it. */
async function build(name: string, settings: JudgeSettings, key: string): Promise<Judge | string> {
  const { optional_package, batches } = providerRow(settings.provider)
  const load = async () => (await ADAPTERS[settings.provider]())(name, settings, key)
  if (optional_package === undefined) return lazyJudge(describeJudge(name, settings), batches, load)
  try {
    return await load()
  } catch (error) {
    const isMissing =
      error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_MODULE_NOT_FOUND'
    if (isMissing) return error.message
    throw error
  }
}

const setVariables = (variables: readonly string[]): string =>
  `set ${variables.join(' and ')} in the environment of Veridict`
