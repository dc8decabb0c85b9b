import type { ActOutcome } from '../../domain/acts/act.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { exitCodeSaid, outcomeWithCode } from '../tools/exit-codes.ts'
import { outcomeOfResult as outcomeInWords } from '../tools/outcomes.ts'

/** The words of the harness stand within so many units. */
const HEAD = 2000
const TIMED_OUT = '\nCommand timed out after '

/**
 * What became of a call of a tool, by its `tool_result` and the record that holds it. `toolDenialKind` of a record and `non_execution_kind`
 * of a block say in newer versions what the words say in all. A program can print such words too, but its result is then no error, or
 * begins with `Exit code`.
 */
export function outcomeOfResult(tool: string, block: Json, record: Json): ActOutcome {
  const denial = block['non_execution_kind'] ?? record['toolDenialKind']
  if (typeof denial === 'string' && denial !== '') return outcomeOfDenial(denial)
  const own = record['toolUseResult'] ?? record['tool_use_result']
  if (isRecord(own) && own['interrupted'] === true) return 'interrupted'
  if (block['is_error'] !== true) return 'ran'
  if (own === 'User rejected tool use') return 'rejected'
  // The words of a server's error are its own, so it could say that it was turned down.
  if (tool.startsWith('mcp__')) return 'failed'
  const head = headOf(block['content']).trimStart()
  const code = exitCodeSaid('claude-code', head)
  // Behind a code stands what the command printed, and that it took too long.
  if (code !== null && !head.includes(TIMED_OUT)) return outcomeWithCode('failed', code)
  return code === null ? outcomeInWords('claude-code', head, true) : 'interrupted'
}

const outcomeOfDenial = (kind: string): ActOutcome =>
  kind === 'interrupted' ? 'interrupted' : kind === 'cancelled' ? 'cancelled' : 'rejected'

function headOf(content: unknown): string {
  const first: unknown = Array.isArray(content)
    ? content.find((piece) => isRecord(piece) && typeof piece['text'] === 'string')
    : content
  const text = isRecord(first) ? first['text'] : first
  return typeof text === 'string' ? text.slice(0, HEAD) : ''
}
