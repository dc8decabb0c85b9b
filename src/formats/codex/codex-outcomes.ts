import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { CODEX_WORDS } from '../tools/harness-words.ts'
import { exitCodeInText, matchWords, outcomeOfCode, outcomeWithCode } from '../tools/outcomes.ts'

/**
 * Outcomes of codex's calls: from the text that the model saw, from the events (codex-rs/protocol/src/protocol.rs), and from the items of
 * `exec --json` (codex-rs/exec/src/exec_events.rs).
 */

/** Tools whose output follows a head of the harness, so that a program cannot write the beginning of the text. */
const HEADED: ReadonlySet<string> = wordSet(`shell container.exec shell_command exec_command write_stdin
  local_shell_call apply_patch exec`)

const HEAD = 1000

/** Derives the outcome of a call from the output of an item: text, a JSON envelope, or an object with `success`. */
export function outcomeOfOutput(tool: string, output: unknown): ActOutcome {
  if (isRecord(output)) {
    const inner = output['content'] ?? output['body']
    const outcome = inner === undefined ? 'ran' : outcomeOfOutput(tool, inner)
    return outcome === 'ran' && output['success'] === false ? 'failed' : outcome
  }
  const text = textOf(output)
  if (text === null || !HEADED.has(tool)) return 'ran'
  const head = text.slice(0, HEAD)
  const words = matchWords(CODEX_WORDS, text)
  if (words !== null) return words.outcome
  if (/^Wall time: [\d.]{1,20} seconds\naborted by user/.test(head)) return 'interrupted'
  return outcomeWithCode('ran', exitCodeIn(text))
}

function textOf(output: unknown): string | null {
  if (typeof output === 'string') return output
  const first: unknown = Array.isArray(output) ? output.find((piece) => isRecord(piece)) : null
  return isRecord(first) && typeof first['text'] === 'string' ? first['text'] : null
}

/**
 * Returns the exit code before the output: lines of text, or the envelope `{"output", "metadata": {"exit_code"}}` of older versions, which
 * may be cut.
 */
function exitCodeIn(text: string): number | null {
  if (!text.startsWith('{"output"')) return exitCodeInText('codex', text)
  const code = /"exit_code":\s{0,5}(-?\d{1,10})/.exec(text.slice(-HEAD))
  return code === null ? null : Number(code[1])
}

/** Derives the outcome of a call without a result item: a web search or a generated picture. */
export function outcomeOfStatus(type: string, status: unknown): ActOutcome {
  if (type !== 'web_search_call' && type !== 'image_generation_call') return 'unknown'
  return status === 'completed' ? 'ran' : status === 'failed' ? 'failed' : 'unknown'
}

/** Derives the outcome of a call from the event that ends it. */
export function outcomeOfEvent(event: Json): ActOutcome {
  const { status, success, result, error, exit_code: code } = event
  if (status === 'declined') return 'rejected'
  if (status === 'failed' || success === false) return outcomeWithCode('failed', typeof code === 'number' ? code : null)
  if (typeof code === 'number') return outcomeOfCode(code)
  if (isRecord(result)) return 'Err' in result || (isRecord(result['Ok']) && isFaulty(result['Ok'])) ? 'failed' : 'ran'
  return typeof error === 'string' && error !== '' ? 'failed' : 'ran'
}

const isFaulty = (result: Json): boolean => result['is_error'] === true || result['isError'] === true

/** Derives the outcome of a call from the completed item of a stream. */
export function outcomeOfItem(item: Json): ActOutcome {
  const { status, exit_code: code, error } = item
  if (status === 'declined') return 'rejected'
  const outcome = status === 'failed' || isRecord(error) ? 'failed' : status === 'in_progress' ? 'unknown' : 'ran'
  return outcomeWithCode(outcome, typeof code === 'number' ? code : null)
}
