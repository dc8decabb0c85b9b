import { leavesOf } from '../common/json-tree.ts'
import { isAbsent, isRecord } from '../common/reading.ts'
import { Located, type Tree } from './located.ts'

/** A content that chats can have; whatever else is there, leaf by leaf. `isAgent`: it is what the agent said. */
export function contentOf(value: Located, isAgent = false): Tree {
  const held = value.value
  if (isAbsent(held) || typeof held === 'string') return value
  if (
    Array.isArray(held) &&
    held.every((item) => typeof item === 'string' || (isRecord(item) && typeof item['type'] === 'string'))
  )
    return value
  if (Array.isArray(held) && held.some(isConverseBlock))
    return value.items().flatMap((item): readonly Tree[] => {
      const block = isConverseBlock(item.value) ? converseBlock(item, isAgent, contentOf) : null
      return block === null ? textsOf(item) : [block]
    })
  return textsOf(value)
}

const textsOf = (value: Located): readonly Tree[] =>
  leavesOf(value.value, value.path).map(
    ({ text, pointer }): Tree => ({ type: 'text', text: new Located(text, pointer) }),
  )

const MARKS = ['toolUse', 'toolResult', 'reasoningContent'] as const

/** A block of Bedrock's Converse (@aws-sdk/client-bedrock-runtime, ContentBlock): named by its one member instead of a type. */
export const isConverseBlock = (value: unknown): boolean =>
  isRecord(value) &&
  !('type' in value) &&
  !('role' in value) &&
  (typeof value['text'] === 'string' || MARKS.some((name) => isRecord(value[name])))

/** The same as chats have it; null for what only an agent says or does in anybody else's message. */
function converseBlock(block: Located, isAgent: boolean, contentOf: (value: Located) => Tree): Tree | null {
  const [use, result, thought] = MARKS.map((name) => block.member(name)) as [Located, Located, Located]
  if (isRecord(result.value))
    return {
      type: 'tool_result',
      tool_use_id: result.member('toolUseId'),
      content: contentOf(result.member('content')),
      ...(result.value['status'] === 'error' && { is_error: true }),
    }
  const text = block.member('text')
  if (typeof text.value === 'string') return { type: 'text', text }
  if (!isAgent) return null
  if (isRecord(use.value))
    return { type: 'tool_use', id: use.member('toolUseId'), name: use.member('name'), input: use.member('input') }
  const thinking = thought.member('reasoningText').member('text')
  return typeof thinking.value === 'string' ? { type: 'reasoning', reasoning: thinking } : { type: 'redacted_thinking' }
}
