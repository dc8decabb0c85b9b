import type { ServiceError } from '../../client/errors.ts'
import { CliError } from '../client/cli-error.ts'
import { oneLine } from '../results/terminal-text.ts'
import { placeText } from './error-text.ts'

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
  const told = [...new Set(places)].filter((one) => one !== oneLine(error.message))
  return new CliError(oneLine(error.message), [...told, ...adviceFor(error.code, error.message)])
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
