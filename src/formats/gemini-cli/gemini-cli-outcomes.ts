import type { ActOutcome } from '../../domain/acts/act.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { asRecord } from '../common/session.ts'
import { exitCodeSaid, outcomeWithCode } from '../tools/exit-codes.ts'
import { GEMINI_CLI_WORDS } from '../tools/harness-words.ts'
import { outcomeOfResult as outcomeInWords, wordsSaid } from '../tools/outcomes.ts'

/**
 * What became of a call of gemini-cli: `status` (packages/core/src/scheduler/types.ts, CoreToolCallStatus), and the words of the scheduler
 * where a call was turned down.
 */

/** By a call of a recorded chat. */
export function outcomeOfCall({ status, result }: Json): ActOutcome {
  if (status === 'success') return outcomeOfOutput(saidIn(result, 'output'))
  const said = saidIn(result, 'error')
  const told = outcomeInWords('gemini-cli', said, true)
  if (status === 'cancelled') return told === 'interrupted' ? told : 'cancelled'
  return status === 'error' ? told : 'unknown'
}

/** By a `tool_result` of `--output-format stream-json`. */
export function outcomeOfEvent({ status, error, output }: Json): ActOutcome {
  if (status === 'success') return outcomeOfOutput(typeof output === 'string' ? output : '')
  const said = asRecord(error)['message'] ?? output
  return status === 'error' ? outcomeInWords('gemini-cli', typeof said === 'string' ? said : '', true) : 'unknown'
}

/** A command that failed or was stopped is a success of its tool, which says so in lines of its own. */
const outcomeOfOutput = (output: string): ActOutcome =>
  wordsSaid(GEMINI_CLI_WORDS, output)?.outcome === 'interrupted'
    ? 'interrupted'
    : outcomeWithCode('ran', exitCodeSaid('gemini-cli', output))

/** `[{functionResponse: {response: {error, output}}}]`. */
function saidIn(result: unknown, member: 'error' | 'output'): string {
  const first: unknown = Array.isArray(result) ? result.find(isRecord) : result
  const said = asRecord(asRecord(asRecord(first)['functionResponse'])['response'])[member]
  return typeof said === 'string' ? said : ''
}
