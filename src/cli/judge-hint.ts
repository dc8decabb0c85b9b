import { CliError } from './cli-error.ts'
import type { ServiceError } from './service-error.ts'
import { oneLine } from './terminal-text.ts'

/** The built-in judges that are there only with a key. */
const KEYS = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const

/** What the built-in judges lack that this process has no key of. */
export const missingJudges = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(KEYS).flatMap(([judge, key]) => (env[key] ? [] : [`${judge} needs ${key} in the environment`]))

/** What to do about a judge that is not there, or about any of them where its name is not known. */
export function judgeAdvice(env: NodeJS.ProcessEnv, judge: string | undefined): string[] {
  const list = '`veridict judges` lists what there is; the configuration file VERIDICT_CONFIG names more.'
  // Of one that is named the refusal says what it needs.
  return [...(judge === undefined ? missingJudges(env) : []), list]
}

/** What a refusal of the service in this process means to who typed a command: nobody spoke HTTP. */
export function localRefusal(error: ServiceError, env: NodeJS.ProcessEnv, judge: string | undefined): CliError {
  const places = error.errors.map(({ path, message }) => {
    const place = oneLine(path)
    const isOption = place === '' || place === '/judge' || (error.code === 'unknown_judge' && judge !== undefined)
    return isOption ? oneLine(message) : `${place}  ${oneLine(message)}`
  })
  // One refusal an item says the same of each.
  const told = [...new Set(places)]
  return new CliError(oneLine(error.message), [...told, ...adviceFor(error.code, env, judge)])
}

function adviceFor(code: string, env: NodeJS.ProcessEnv, judge: string | undefined): string[] {
  if (code === 'unknown_judge') return judgeAdvice(env, judge)
  if (code === 'unknown_rubric') return ['`veridict rubrics` lists what there is.']
  if (code === 'not_found') return ['`veridict status` lists the batches of VERIDICT_DATABASE.']
  return []
}
