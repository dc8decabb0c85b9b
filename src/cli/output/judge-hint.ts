import type { ServiceError } from '../../client/errors.ts'
import { CliError } from '../client/cli-error.ts'
import { oneLine } from '../results/terminal-text.ts'
import { placeText } from './error-text.ts'

/** What to do about a judge that is not there. */
const JUDGE_ADVICE = '`veridict judges` lists what there is; the configuration file VERIDICT_CONFIG names more.'

/** What a refusal of the service in this process means to who typed a command: nobody spoke HTTP. */
export function localRefusal(error: ServiceError, judge: string | undefined): CliError {
  const places = error.errors.map(({ path, message }) => {
    const place = placeText(path)
    // What was typed is wrong for all items; a judge that one of them names is told with its place.
    const isTyped = error.code === 'unknown_judge' && judge !== undefined && error.message.includes(judge)
    const isOption = place === '' || OPTION.test(place) || isTyped
    return isOption ? oneLine(message) : `${place}  ${oneLine(message)}`
  })
  // One refusal an item says the same of each, and some the same as the whole.
  const told = [...new Set(places)].filter((one) => one !== oneLine(error.message))
  return new CliError(oneLine(error.message), [...told, ...adviceFor(error.code, error.message)])
}

/** The place of what was typed: as a whole, of the first item of a re-grade, or of what it chooses by. */
const OPTION = /^(?:\/items\/\d+)?\/(?:judge|rubric|mode|max_cost_usd|query)$/

/** Where to see what there is; empty: the refusal says all. */
export function adviceFor(code: string, detail = ''): string[] {
  if (code === 'unknown_judge') return [JUDGE_ADVICE]
  if (code === 'unknown_rubric') return ['`veridict rubrics` lists what there is.']
  if (code === 'not_found' && detail.startsWith('there is no such grade'))
    return ['`veridict results BATCH` lists the grades of a batch, `veridict status` the batches of VERIDICT_DATABASE.']
  if (code === 'not_found') return ['`veridict status` lists the batches of VERIDICT_DATABASE.']
  return []
}
