import type { JudgeSettings } from '../config/judge-settings.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Judge } from '../grading/ports.ts'
import { createAnthropicJudge } from './anthropic-judge.ts'
import { createOpenAiJudge } from './openai-judge.ts'

/** The configured model judges, by name. Throws where a judge has no key: it would fail every grade. */
export function buildModelJudges(
  judges: Readonly<Record<string, JudgeSettings>>,
  secrets: Secrets,
): Map<string, Judge> {
  return new Map(
    Object.entries(judges).map(([name, settings]) => {
      const key = secrets.key(settings.key_env)
      if (key === undefined)
        throw new Error(`judge "${name}" needs its key in the environment variable ${settings.key_env}`)
      const create = settings.provider === 'openai' ? createOpenAiJudge : createAnthropicJudge
      return [name, create(name, settings, key)]
    }),
  )
}
