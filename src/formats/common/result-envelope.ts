import { wordSet } from '../../domain/text/words.ts'
import { decodeObject, type Leaf, leavesOf } from './json-tree.ts'
import { isRecord, type Json } from './reading.ts'

/** Members of the JSON that mini-swe-agent, predev and their like wrap around what a command printed. */
const ENVELOPE = wordSet(`output stdout stderr error exception_info exception returncode return_code exit_code signal
  success timed_out truncated interrupted duration duration_ms`)
const OUTPUTS = ['output', 'stdout', 'stderr', 'error'] as const
const MCP_ENVELOPE = new Set(['content', 'structuredContent', 'isError', 'meta', '_meta'])

const hasOnly = (record: Json, known: ReadonlySet<string>): boolean =>
  Object.keys(record).every((key) => known.has(key))

/**
 * The leaves of a tool's output that is wrapped in a known envelope, pointers relative to the decoded JSON; null where the
 * text is the output itself. JSON that a command printed is output and stays as it was printed.
 */
export function openEnvelope(text: string): readonly Leaf[] | null {
  const envelope = decodeObject(text)
  if (envelope === null) return null
  if (OUTPUTS.some((key) => Object.hasOwn(envelope, key)) && hasOnly(envelope, ENVELOPE))
    return Object.entries(envelope).flatMap(([key, value]) => (value === null ? [] : leavesOf(value, `/${key}`, key)))
  const content = envelope['content']
  if (Array.isArray(content) && 'isError' in envelope && hasOnly(envelope, MCP_ENVELOPE))
    return mcpLeaves(envelope, content)
  return null
}

/** Results of the Model Context Protocol: the texts, then whatever else is not null. */
function mcpLeaves(envelope: Json, content: readonly unknown[]): Leaf[] {
  const texts = content.flatMap((item, index) =>
    isRecord(item) && item['type'] === 'text' && typeof item['text'] === 'string'
      ? [{ pointer: `/content/${index}/text`, name: '', text: item['text'] }]
      : leavesOf(item, `/content/${index}`, `content.${index}`),
  )
  const rest = Object.entries(envelope).filter(([key, value]) => key !== 'content' && value !== null)
  // `structuredContent` says the texts once more, as data: leaf by leaf it would drown them.
  return [...texts, ...rest.map(([key, value]) => ({ pointer: `/${key}`, name: key, text: JSON.stringify(value) }))]
}
