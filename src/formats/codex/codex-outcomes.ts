import { wordSet } from '../../domain/text/words.ts'
import type { ActOutcome } from '../../domain/trajectory/act.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { CODEX_WORDS } from '../tools/harness-words.ts'
import { exitCodeSaid, outcomeOfCode, outcomeWithCode, wordsSaid } from '../tools/outcomes.ts'

/**
 * What became of a call of codex: from the text that the model was given, from the events (codex-rs/protocol/src/protocol.rs), and
 * from the items of `exec --json` (codex-rs/exec/src/exec_events.rs).
 */

/** Tools whose output stands behind a head of the harness, so that a program cannot write what the text begins with. */
const HEADED: ReadonlySet<string> = wordSet(`shell container.exec shell_command exec_command write_stdin
  local_shell_call apply_patch exec`)

const HEAD = 1000

/** By the output of an item: text, an envelope of JSON, or an object with `success`. */
export function outcomeOfOutput(tool: string, output: unknown): ActOutcome {
  if (isRecord(output)) {
    const inner = output['content'] ?? output['body']
    const said = inner === undefined ? 'ran' : outcomeOfOutput(tool, inner)
    return said === 'ran' && output['success'] === false ? 'failed' : said
  }
  const text = textOf(output)
  if (text === null || !HEADED.has(tool)) return 'ran'
  const head = text.slice(0, HEAD)
  const said = wordsSaid(CODEX_WORDS, text)
  if (said !== null) return said.outcome
  if (/^Wall time: [\d.]{1,20} seconds\naborted by user/.test(head)) return 'interrupted'
  return outcomeWithCode('ran', exitCodeIn(text))
}

function textOf(output: unknown): string | null {
  if (typeof output === 'string') return output
  const first: unknown = Array.isArray(output) ? output.find((piece) => isRecord(piece)) : null
  return isRecord(first) && typeof first['text'] === 'string' ? first['text'] : null
}

/** The exit code before the output: lines, or the envelope `{"output", "metadata": {"exit_code"}}` of older versions, which may be cut. */
function exitCodeIn(text: string): number | null {
  if (!text.startsWith('{"output"')) return exitCodeSaid('codex', text)
  const code = /"exit_code":\s{0,5}(-?\d{1,10})/.exec(text.slice(-HEAD))
  return code === null ? null : Number(code[1])
}

/** An item that is answered by nothing else: a search, a picture. */
export function outcomeOfStatus(type: string, status: unknown): ActOutcome {
  if (type !== 'web_search_call' && type !== 'image_generation_call') return 'unknown'
  return status === 'completed' ? 'ran' : status === 'failed' ? 'failed' : 'unknown'
}

/** By the event that ends a call. */
export function outcomeOfEvent(event: Json): ActOutcome {
  const { status, success, result, error, exit_code: code } = event
  if (status === 'declined') return 'rejected'
  if (status === 'failed' || success === false) return outcomeWithCode('failed', typeof code === 'number' ? code : null)
  if (typeof code === 'number') return outcomeOfCode(code)
  if (isRecord(result)) return 'Err' in result || (isRecord(result['Ok']) && isFaulty(result['Ok'])) ? 'failed' : 'ran'
  return typeof error === 'string' && error !== '' ? 'failed' : 'ran'
}

const isFaulty = (result: Json): boolean => result['is_error'] === true || result['isError'] === true

/** By the completed item of a stream. */
export function outcomeOfItem(item: Json): ActOutcome {
  const { status, exit_code: code, error } = item
  if (status === 'declined') return 'rejected'
  const said = status === 'failed' || isRecord(error) ? 'failed' : status === 'in_progress' ? 'unknown' : 'ran'
  return outcomeWithCode(said, typeof code === 'number' ? code : null)
}
