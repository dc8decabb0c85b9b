import { PROVIDER_VARIABLES } from '../config/environment.ts'
import type { JudgeSettings } from '../config/judge-settings.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Judge } from '../grading/ports.ts'

interface ModelJudges {
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with the variable that does not hold their key. */
  readonly unkeyed: ReadonlyMap<string, string>
}

/** The configured model judges and those of the providers, by name. */
export async function buildModelJudges(
  configured: Readonly<Record<string, JudgeSettings>>,
  secrets: Secrets,
): Promise<ModelJudges> {
  const judges = new Map<string, Judge>()
  const unkeyed = new Map<string, string>()
  for (const [name, settings] of Object.entries(configured)) {
    const key = secrets.key(settings.key_env)
    if (key === undefined) unkeyed.set(name, settings.key_env)
    else judges.set(name, (await loadProvider(settings.provider))(name, settings, key))
  }
  for (const [provider, variables] of Object.entries(PROVIDER_VARIABLES))
    if (configured[provider] === undefined) unkeyed.set(provider, variables.key)
  return { judges, unkeyed }
}

/** A provider's SDK is loaded where a judge of it is configured. */
async function loadProvider(provider: JudgeSettings['provider']) {
  return provider === 'openai'
    ? (await import('./openai-judge.ts')).createOpenAiJudge
    : (await import('./anthropic-judge.ts')).createAnthropicJudge
}
