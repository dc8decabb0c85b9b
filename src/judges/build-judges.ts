import type { JudgeSettings } from '../config/judge-settings.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Judge } from '../grading/ports.ts'

/** The configured model judges, by name. Throws where a judge has no key: it would fail every grade. */
export async function buildModelJudges(
  judges: Readonly<Record<string, JudgeSettings>>,
  secrets: Secrets,
): Promise<Map<string, Judge>> {
  const built = new Map<string, Judge>()
  for (const [name, settings] of Object.entries(judges)) {
    const key = secrets.key(settings.key_env)
    if (key === undefined)
      throw new Error(`judge "${name}" needs its key in the environment variable ${settings.key_env}`)
    const create = await loadProvider(settings.provider)
    built.set(name, create(name, settings, key))
  }
  return built
}

/** A provider's SDK is loaded where a judge of it is configured. */
async function loadProvider(provider: JudgeSettings['provider']) {
  return provider === 'openai'
    ? (await import('./openai-judge.ts')).createOpenAiJudge
    : (await import('./anthropic-judge.ts')).createAnthropicJudge
}
