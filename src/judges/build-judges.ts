import { PROVIDER_VARIABLES } from '../config/environment.ts'
import type { JudgeSettings } from '../config/judge-settings.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Judge } from '../grading/ports.ts'
import { createAnthropicJudge } from './anthropic-judge.ts'
import { createOpenAiJudge } from './openai-judge.ts'

interface ModelJudges {
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with the variable that does not hold their key. */
  readonly unkeyed: ReadonlyMap<string, string>
}

/** The configured model judges and those of the providers, by name. */
export function buildModelJudges(configured: Readonly<Record<string, JudgeSettings>>, secrets: Secrets): ModelJudges {
  const judges = new Map<string, Judge>()
  const unkeyed = new Map<string, string>()
  for (const [name, settings] of Object.entries(configured)) {
    const key = secrets.key(settings.key_env)
    const create = settings.provider === 'openai' ? createOpenAiJudge : createAnthropicJudge
    if (key === undefined) unkeyed.set(name, settings.key_env)
    else judges.set(name, create(name, settings, key))
  }
  for (const [provider, variables] of Object.entries(PROVIDER_VARIABLES))
    if (configured[provider] === undefined) unkeyed.set(provider, variables.key)
  return { judges, unkeyed }
}
