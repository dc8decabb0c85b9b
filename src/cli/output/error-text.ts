import { ServiceError, UnreachableError } from '../../client/errors.ts'
import { RubricError } from '../../domain/rubric/load/rubric-error.ts'
import { CliError, EXIT, type ExitCode } from '../client/cli-error.ts'
import { asTyped } from '../client/program-name.ts'
import type { Shell } from '../client/shell.ts'
import { readStorageFailure } from '../client/start-failure.ts'
import { inert, oneLine, paintFor } from '../results/terminal-text.ts'

/** Runs a command to its exit code. An error is printed on stderr with its advice. */
export async function runCommand(shell: Shell, command: () => Promise<ExitCode>): Promise<void> {
  try {
    shell.setExitCode(await command())
  } catch (error) {
    const paint = paintFor(shell.err, shell.env)
    const explanation = explain(error)
    const lines = [
      `${paint('red', 'veridict:')} ${inert(asTyped(shell, explanation.message))}`,
      ...explanation.advice.map((text) => `  ${inert(asTyped(shell, text))}`),
    ]
    shell.err.write(`${lines.join('\n')}\n`)
    shell.setExitCode(explanation.exit)
  }
}

interface Explanation {
  readonly message: string
  readonly advice: readonly string[]
  readonly exit: ExitCode
}

/** Explains an error: message, advice, exit code. */
export function explain(error: unknown): Explanation {
  if (error instanceof CliError) return error
  if (error instanceof ServiceError) return explainRefusal(error)
  if (error instanceof UnreachableError)
    return {
      message: oneLine(error.message),
      advice: [
        'Is it running? `veridict serve` starts one; --server and VERIDICT_SERVER say where it is.',
        'The same command can be given again once it is up: what was graded is kept, and costs nothing again.',
      ],
      exit: EXIT.refused,
    }
  if (error instanceof RubricError)
    return { message: error.message.split('\n')[0] ?? '', advice: error.faults, exit: EXIT.refused }
  const message = readStorageFailure(error)?.message ?? (error instanceof Error ? error.message : 'unknown error')
  return { message: oneLine(message), advice: [], exit: EXIT.refused }
}

/** Advice for refusals of the service, by code. */
const ADVICE: Readonly<Record<string, string>> = {
  not_found: '`veridict status` lists the batches of this service; without --server it looks into VERIDICT_DATABASE.',
  unknown_judge: '--judge takes a name of GET /v1/judges; the configuration file VERIDICT_CONFIG names more.',
  unknown_rubric: '--rubric takes an id of GET /v1/rubrics, like tab-behavior@2.',
  unauthorized:
    'VERIDICT_API_KEY is the key that the service is asked with; its operator makes one: `veridict keys create NAME`.',
  forbidden: 'The key in VERIDICT_API_KEY may not do this; `veridict keys create NAME --scopes …` makes one that may.',
  wrong_host: 'Ask it by a name that it knows, or add the name to VERIDICT_ALLOWED_HOSTS where it runs.',
  draining: 'The service is stopping: the same command works once it is up again.',
}

/** Maps the place of a refused query member to the typed option. */
export function placeText(path: string): string {
  const [, where, name = ''] = /^\/(query|querystring)\/([a-z_]{1,40})$/.exec(path) ?? []
  if (where === undefined) return oneLine(path)
  const isOfOld = where === 'query' && (name === 'judge' || name === 'rubric')
  return `--${name.replaceAll('_', '-')}${isOfOld ? '-was' : ''}`
}

function explainRefusal(error: ServiceError): Explanation {
  const places = error.errors.map(({ path, message }) => `${placeText(path) || '/'}  ${oneLine(message)}`)
  const advice = ADVICE[error.code]
  return {
    message: `${oneLine(error.message)} (${error.code}, HTTP ${error.status})`,
    advice: advice === undefined ? places : [...places, advice],
    exit: EXIT.refused,
  }
}

/** Advice for an unknown judge. */
const JUDGE_ADVICE = '`veridict judges` lists what there is; the configuration file VERIDICT_CONFIG names more.'

/** Explains a refusal of the service in this process to the user, who sent no HTTP request. */
export function localRefusal(error: ServiceError, judge: string | undefined): CliError {
  const places = error.errors.map(({ path, message }) => {
    const place = placeText(path)
    // A typed judge is wrong for all items; a judge of an item is reported with its place.
    const isTyped = error.code === 'unknown_judge' && judge !== undefined && error.message.includes(judge)
    const isOption = place === '' || OPTION.test(place) || isTyped
    return isOption ? oneLine(message) : `${place}  ${oneLine(message)}`
  })
  // Several items may repeat one refusal, or the refusal of the whole batch.
  const others = [...new Set(places)].filter((place) => place !== oneLine(error.message))
  return new CliError(oneLine(error.message), [...others, ...adviceFor(error.code, error.message)])
}

/** Places of typed options: in the request, in the first item of a re-grade, or in the selection. */
const OPTION = /^(?:\/items\/\d+)?\/(?:judge|rubric|mode|max_cost_usd|query)$/

/** Returns the advice for a refusal; empty where the refusal says all. */
export function adviceFor(code: string, detail = ''): string[] {
  if (code === 'unknown_judge') return [JUDGE_ADVICE]
  if (code === 'unknown_rubric') return ['`veridict rubrics` lists what there is.']
  if (code === 'not_found' && detail.startsWith('there is no such grade'))
    return ['`veridict results BATCH` lists the grades of a batch, `veridict status` the batches of VERIDICT_DATABASE.']
  if (code === 'not_found') return ['`veridict status` lists the batches of VERIDICT_DATABASE.']
  return []
}
