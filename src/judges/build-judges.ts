import { missingVariables, type Secrets } from '../config/environment.ts'
import { type JudgeSettings, providerDefaults } from '../config/judges.ts'
import { MissingPackage } from '../config/optional-package.ts'
import { PROVIDER_NAMES, type Provider, providerRow } from '../schemas/providers.ts'
import type { BatchApi, Judge, Judges } from './judge.ts'

type CreateJudge = (name: string, settings: JudgeSettings, key: string) => Judge | Promise<Judge>

/** Loads the adapter of each provider with its SDK; a process loads those of its judges alone. */
const ADAPTERS: Readonly<Record<Provider, () => Promise<CreateJudge>>> = {
  openai: async () => (await import('./openai-judge.ts')).createOpenAiJudge,
  azure: async () => (await import('./openai-judge.ts')).createAzureJudge,
  google: async () => (await import('./openai-judge.ts')).createOpenAiJudge,
  anthropic: async () => (await import('./anthropic-judge.ts')).createAnthropicJudge,
  bedrock: async () => (await import('./anthropic-judge.ts')).createBedrockJudge,
  vertex: async () => (await import('./anthropic-judge.ts')).createVertexJudge,
}

/** Builds the configured model judges, by name, and lists the judges that lack a variable or a package. */
export async function buildModelJudges(
  configured: Readonly<Record<string, JudgeSettings>>,
  secrets: Secrets,
): Promise<Judges> {
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

/** Describes every provider’s judge and the configured judges for an estimate, which asks none: no key, address or package is needed. */
export async function describedJudges(configured: Readonly<Record<string, JudgeSettings>>): Promise<Judge[]> {
  const { describeJudge } = await import('./model-judge.ts')
  const defaults = Object.fromEntries(PROVIDER_NAMES.map((name) => [name, providerDefaults(name)]))
  return Object.entries({ ...defaults, ...configured }).map(([name, settings]) => {
    const { batches } = providerRow(settings.provider)
    const ask = () => Promise.reject(new Error('an estimate asks no judge'))
    return { info: describeJudge(name, settings), ask, ...(batches !== null && { batch: batches as BatchApi }) }
  })
}

/** Builds a judge; answers the package to install if an optional package is missing, which other judges do not need. */
async function build(name: string, settings: JudgeSettings, key: string): Promise<Judge | string> {
  try {
    return await (await ADAPTERS[settings.provider]())(name, settings, key)
  } catch (error) {
    if (error instanceof MissingPackage) return error.message
    throw error
  }
}

const setVariables = (variables: readonly string[]): string =>
  `set ${variables.join(' and ')} in the environment of Veridict`
